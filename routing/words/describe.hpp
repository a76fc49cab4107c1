#pragma once

#include <string>
#include <vector>

#include "routing/catalog/catalog.hpp"
#include "routing/scratch.hpp"
#include "routing/verdict.hpp"
#include "routing/words/question.hpp"
#include "wire/command.hpp"

/// A verdict in words, for people and for JSON. Allocates.
namespace scattergate::routing {

/// The names of the shard key fields that the verdict misses, in key order.
[[nodiscard]] std::vector<std::string> missing_fields(const verdict& verdict);

/// The labels of the findings beside the class: each has a reason of its own, whatever the
/// class's is.
[[nodiscard]] std::vector<std::string> lints(const verdict& verdict);

/// What to do, in one sentence for a developer; that no filter helps, where none does; empty
/// where nothing need be done. What it says follows from advice_of()
/// (routing/words/advice.hpp).
[[nodiscard]] std::string suggestion(const verdict& verdict, const question& asked);
[[nodiscard]] std::string suggestion(const verdict& verdict, const wire::command& command);

/// The ids of the shards of a set, sorted.
[[nodiscard]] std::vector<std::string> shard_names(const shard_set& shards,
                                                   const catalog& catalog);

/// The collection's shard key as MongoDB writes it: {"project_id":1,"_id":"hashed"}.
[[nodiscard]] std::string shard_key_json(const collection& collection);

/// One line of JSON. `reason` is the class's; where that has none, the lint's. `lints` is there
/// only where there are any. `memory` is for the shape alone and must not be the one that the
/// verdict points into.
[[nodiscard]] std::string verdict_json(const verdict& verdict, const wire::command& command,
                                       const catalog& catalog, scratch& memory);

/// One line for people: class, namespace, command, reason, missing, fan-out, refusal, lint, and
/// what to do. What asks one shard has a fan-out of 1 also where nothing tells which it is.
[[nodiscard]] std::string verdict_line(const verdict& verdict, const wire::command& command,
                                       const catalog& catalog);

}  // namespace scattergate::routing
