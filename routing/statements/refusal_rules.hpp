#pragma once

#include "routing/command_kind.hpp"
#include "routing/statements/statement.hpp"
#include "wire/command.hpp"

namespace scattergate::routing {

/// The error with which mongos rejects a command before it reads the filter: because of its
/// name, the kind of collection `on`, or its transaction. `none` if it doesn't.
[[nodiscard]] refusal refusal_of(const wire::command& given, command_kind kind,
                                 wire::namespace_view on, const judging& with) noexcept;

}  // namespace scattergate::routing
