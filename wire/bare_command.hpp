#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "wire/command.hpp"

namespace scattergate::wire {

/// Whether an argument controls how a command runs (session, transaction, concerns, time limit,
/// cursor, hint) rather than what it asks for. True for every name that begins with `$`.
[[nodiscard]] bool is_about_running(std::string_view argument) noexcept;

/// Builds one document from the command: the arguments that say what it asks for, its document
/// sequences as arrays, and `$db` at the end. It carries no session and no cluster time. Empty
/// if it would exceed `max_bytes` or a sequence is broken. Allocates.
[[nodiscard]] std::vector<std::byte> bare_command_of(const command& command,
                                                     std::size_t max_bytes);

/// Builds one document from the complete command: its body, which has `$db`, followed by its
/// document sequences as arrays. Empty if it would exceed `max_bytes` or a sequence is broken.
/// Allocates.
[[nodiscard]] std::vector<std::byte> whole_command_of(const command& command,
                                                      std::size_t max_bytes);

}  // namespace scattergate::wire
