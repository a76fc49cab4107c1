#pragma once

#include <string>
#include <vector>

#include "routing/catalog/catalog.hpp"
#include "routing/scratch.hpp"
#include "routing/verdict.hpp"
#include "routing/words/question.hpp"
#include "wire/command.hpp"

/// Verdicts in words, for people and for JSON. Allocates.
namespace scattergate::routing {

/// The names of the shard key fields that the verdict lacks, in key order.
[[nodiscard]] std::vector<std::string> missing_fields(const verdict& verdict);

/// The labels of the findings beside the class. Each has its own reason, independent of the
/// class's.
[[nodiscard]] std::vector<std::string> lints(const verdict& verdict);

/// What to do, in one sentence for a developer: the text for advice_of()
/// (routing/words/advice.hpp). Says so if no filter helps. Empty if nothing needs to be done.
[[nodiscard]] std::string suggestion(const verdict& verdict, const question& asked);
[[nodiscard]] std::string suggestion(const verdict& verdict, const wire::command& command);

/// The ids of the shards in a set, sorted.
[[nodiscard]] std::vector<std::string> shard_names(const shard_set& shards,
                                                   const catalog& catalog);

/// The collection's shard key as MongoDB writes it: {"project_id":1,"_id":"hashed"}.
[[nodiscard]] std::string shard_key_json(const collection& collection);

/// The verdict as one line of JSON. `reason` is the class's; if that has none, the lint's.
/// `lints` is present only if there are any. `memory` is used for the shape and must not be the
/// one that the verdict points into.
[[nodiscard]] std::string verdict_json(const verdict& verdict, const wire::command& command,
                                       const catalog& catalog, scratch& memory);

/// The verdict as one line for people: class, namespace, command, reason, missing fields,
/// fan-out, refusal, lint, and what to do. The fan-out of a single-shard command is 1 even if
/// the shard isn't known.
[[nodiscard]] std::string verdict_line(const verdict& verdict, const wire::command& command,
                                       const catalog& catalog);

}  // namespace scattergate::routing
