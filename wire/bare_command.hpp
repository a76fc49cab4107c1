#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "wire/command.hpp"

namespace scattergate::wire {

/// Whether an argument controls how a command runs (session, transaction, concerns, time limit,
/// cursor, hint), rather than what it does. True for every name that starts with `$`.
[[nodiscard]] bool controls_execution(std::string_view argument) noexcept;

/// Builds a document of a command's essential arguments: without those of controls_execution(),
/// with its document sequences as arrays, and `$db` at the end. Empty if it would exceed
/// `max_bytes` or a sequence is broken. Allocates.
[[nodiscard]] std::vector<std::byte> bare_command_of(const command& command,
                                                     std::size_t max_bytes);

/// Builds a document of the complete command: its body, followed by its document sequences as
/// arrays. Empty if it would exceed `max_bytes` or a sequence is broken. Allocates.
[[nodiscard]] std::vector<std::byte> whole_command_of(const command& command,
                                                      std::size_t max_bytes);

}  // namespace scattergate::wire
