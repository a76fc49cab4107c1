#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "routing/catalog/catalog.hpp"
#include "routing/scratch.hpp"
#include "routing/verdict.hpp"
#include "wire/command.hpp"

/// Formats verdicts as text and JSON. The functions allocate.
namespace scattergate::routing {

/// The names of the shard key fields that the filter doesn't bound, in key order.
[[nodiscard]] std::vector<std::string> missing_fields(const verdict& verdict);

/// The position in its batch, from 0, of the first statement that asks every shard. Empty: no
/// batch of several statements, or none of them does.
[[nodiscard]] std::optional<std::uint32_t> blamed_statement(const verdict& verdict);

/// The labels of the verdict's lints; empty if it has none.
[[nodiscard]] std::vector<std::string> lints(const verdict& verdict);

/// Advice for a developer, in one sentence: advice_of() (routing/words/advice.hpp) as text. If
/// no filter helps, the sentence says so. Empty if there is nothing to do. `verdict`: that of
/// `command`, or its verdict in one of its namespaces. `driver`: the name of the client's
/// driver, from its metadata; empty if unknown. If a library made the filter, as ODMs do, the
/// sentence says what to change there.
[[nodiscard]] std::string suggestion(const verdict& verdict, const wire::command& command,
                                     std::string_view driver = {});

/// The IDs of the shards in a set, sorted. `catalog`: the catalog for which the set was made.
[[nodiscard]] std::vector<std::string> shard_names(const shard_set& shards,
                                                   const catalog& catalog);

/// The collection's shard key as JSON, in MongoDB's form: {"project_id":1,"_id":"hashed"}.
[[nodiscard]] std::string shard_key_json(const collection& collection);

/// The shard key's fields as the key of an ascending index, also of fields that are hashed:
/// `{"customer":1,"_id":1}`.
[[nodiscard]] std::string ascending_key_json(const collection& collection);

/// Formats a verdict as one line of JSON. The member `reason` is the reason for the class, or
/// else the lint, or null; the members `statement` (blamed_statement()) and `lints` are present
/// only if there are any. `memory`: for computing the command's shape; must not be the memory
/// that the verdict points into.
[[nodiscard]] std::string verdict_json(const verdict& verdict, const wire::command& command,
                                       const catalog& catalog, scratch& memory);

/// Formats a verdict as one line of text: class, namespace, command, statement, reason, missing
/// fields, fan-out, refusal, lint and advice. The fan-out of a single-shard command is 1 even
/// if the shard is unknown.
[[nodiscard]] std::string verdict_line(const verdict& verdict, const wire::command& command,
                                       const catalog& catalog);

}  // namespace scattergate::routing
