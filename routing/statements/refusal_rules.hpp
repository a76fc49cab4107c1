#pragma once

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

}  // namespace scattergate::routing
