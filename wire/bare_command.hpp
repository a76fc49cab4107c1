#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "wire/command.hpp"

namespace scattergate::wire {

/// Whether an argument says how a command is run (its session, transaction, concerns, time,
/// cursor, hint) and not what it asks for. A name that begins with `$` always does.
[[nodiscard]] bool is_about_running(std::string_view argument) noexcept;

/// The command as one document: the arguments that say what it asks for, its document
/// sequences as arrays, and `$db` at the end. So it carries no session and no cluster time.
/// Empty where it would be larger than `max_bytes`, or a sequence can't be read. Allocates.
[[nodiscard]] std::vector<std::byte> bare_command_of(const command& command,
                                                     std::size_t max_bytes);

/// The command as one document, with all that came: its body, which has `$db`, and its document
/// sequences as arrays behind that. Empty likewise. Allocates.
[[nodiscard]] std::vector<std::byte> whole_command_of(const command& command,
                                                      std::size_t max_bytes);

}  // namespace scattergate::wire
