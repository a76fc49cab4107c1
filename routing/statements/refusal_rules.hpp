#pragma once

#include "routing/command_kind.hpp"
#include "routing/statements/statement.hpp"
#include "wire/command.hpp"

namespace scattergate::routing {

/// The error with which mongos rejects a command with any filter: because of the command
/// itself, the kind of the collection `on`, or a transaction. `none` if mongos doesn't reject
/// it for these reasons.
[[nodiscard]] refusal refusal_of(const wire::command& given, command_kind kind,
                                 wire::namespace_view on,
                                 const judging_context& context) noexcept;

}  // namespace scattergate::routing
