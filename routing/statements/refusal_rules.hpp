#pragma once

#include "routing/command_kind.hpp"
#include "routing/statements/statement.hpp"
#include "wire/command.hpp"

namespace scattergate::routing {

/// The error with which mongos rejects the command before it reads its filter: because of its
/// name, of the kind of collection `on` is, or of its transaction.
[[nodiscard]] refusal refusal_of(const wire::command& given, command_kind kind,
                                 wire::namespace_view on, const judging& with) noexcept;

}  // namespace scattergate::routing
