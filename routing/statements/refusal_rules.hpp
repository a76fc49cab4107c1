#pragma once

#include "routing/command_kind.hpp"
#include "routing/statements/statement.hpp"
#include "wire/command.hpp"

namespace scattergate::routing {

/// The error with which mongos refuses the command before it reads what the command asks for:
/// for its name, for what `on` is, or for the transaction that it is in.
[[nodiscard]] refusal refusal_of(const wire::command& given, command_kind kind,
                                 wire::namespace_view on, const judging& with) noexcept;

}  // namespace scattergate::routing
