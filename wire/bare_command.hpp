#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "wire/command.hpp"

namespace scattergate::wire {

/// Whether a command's argument controls only how the command runs: session, transaction, read
/// and write concern, time limit, cursor, hint. True for every name that starts with `$`.
[[nodiscard]] bool controls_execution(std::string_view argument) noexcept;

/// Builds a document of the command without the arguments that only control how it runs (see
/// controls_execution()), such as the session. Keeps the first field, which has the command's
/// name. Document sequences become arrays, and `$db` comes last. Returns no bytes if the body
/// or the result would exceed `max_bytes`, or if the command is corrupt. Allocates.
[[nodiscard]] std::vector<std::byte> bare_command_of(const command& command,
                                                     std::size_t max_bytes);

/// Builds a document of the complete command: the body, followed by the document sequences as
/// arrays. Returns no bytes if the result would exceed `max_bytes`, or if a document sequence
/// is corrupt. Allocates.
[[nodiscard]] std::vector<std::byte> whole_command_of(const command& command,
                                                      std::size_t max_bytes);

}  // namespace scattergate::wire
