#pragma once

#include "routing/catalog/catalog.hpp"
#include "routing/command_kind.hpp"
#include "routing/statements/statement.hpp"
#include "wire/command.hpp"

namespace scattergate::routing {

/// The error with which mongos, or a shard, rejects a command for a reason other than its
/// filter: the command itself, the kind of the collection `on`, or a transaction. `none` if
/// there is no such reason. `kind`: the kind of the command `given`.
[[nodiscard]] refusal refusal_of(const wire::command& given, command_kind kind,
                                 wire::namespace_view on,
                                 const judging_context& context) noexcept;

/// Whether a createIndexes on the collection `on` has a unique index that mongos rejects: one
/// that starts neither with the whole shard key nor with _id (mongo: shard_key_pattern.cpp,
/// isIndexUniquenessCompatible). Spends from `work`; false if that runs out.
[[nodiscard]] bool asks_for_impossible_index(const wire::command& command, const collection& on,
                                             wire::work_budget& work) noexcept;

/// Whether a collMod of the collection `on` makes an index unique that mongos rejects as a
/// unique index (see asks_for_impossible_index()). Knows only indexes that the command names by
/// their keys. Spends from `work`; false if that runs out.
[[nodiscard]] bool asks_for_impossible_conversion(const wire::command& command,
                                                  const collection& on, server_version version,
                                                  wire::work_budget& work) noexcept;

}  // namespace scattergate::routing
