#pragma once

#include <string>
#include <vector>

#include "routing/catalog/catalog.hpp"
#include "routing/scratch.hpp"
#include "routing/verdict.hpp"
#include "routing/words/question.hpp"
#include "wire/command.hpp"

/// Formats verdicts as text and JSON. Allocates.
namespace scattergate::routing {

/// The names of the shard key fields that the filter doesn't bound, in key order.
[[nodiscard]] std::vector<std::string> missing_fields(const verdict& verdict);

/// The labels of the verdict's lints.
[[nodiscard]] std::vector<std::string> lints(const verdict& verdict);

/// Advice in one sentence for a developer; the text of advice_of() (routing/words/advice.hpp).
/// Says so if no filter helps. Empty if there is nothing to do.
[[nodiscard]] std::string suggestion(const verdict& verdict, const question& asked);
/// Advice in one sentence for a developer; empty if there is nothing to do.
[[nodiscard]] std::string suggestion(const verdict& verdict, const wire::command& command);

/// The IDs of the shards in a set, sorted.
[[nodiscard]] std::vector<std::string> shard_names(const shard_set& shards,
                                                   const catalog& catalog);

/// The collection's shard key as MongoDB writes it: {"project_id":1,"_id":"hashed"}.
[[nodiscard]] std::string shard_key_json(const collection& collection);

/// Formats a verdict as one line of JSON. `reason` is that of the class, or else the lint;
/// `lints` is present only if there are any. `memory`: for the shape; not the one that the
/// verdict points into.
[[nodiscard]] std::string verdict_json(const verdict& verdict, const wire::command& command,
                                       const catalog& catalog, scratch& memory);

/// Formats a verdict as one line of text: class, namespace, command, reason, missing fields,
/// fan-out, refusal, lint and advice. The fan-out of a single-shard command is 1 even if the
/// shard is unknown.
[[nodiscard]] std::string verdict_line(const verdict& verdict, const wire::command& command,
                                       const catalog& catalog);

}  // namespace scattergate::routing
