#pragma once

#include <string>
#include <string_view>

namespace scattergate::text {

/// Makes untrusted text safe for a terminal and for the log of a CI job: one line of UTF-8.
/// Replaces each invisible character (text/unseen.hpp) by `?`. If the text isn't UTF-8, also
/// replaces each byte that isn't ASCII. Puts a backslash into each CI command, so that no CI
/// runner executes the command (text/ci_commands.hpp).
[[nodiscard]] std::string printable(std::string_view text);

/// Applies printable() to a whole line. Also breaks the CI commands that are such only at a
/// line's start, such as `::error::` and `::stop-commands::`.
[[nodiscard]] std::string printable_line(std::string_view line);

/// Applies printable_line() to each line of a text. Line ends stay.
[[nodiscard]] std::string printable_lines(std::string_view text);

/// Formats untrusted text for a message: applies printable() and adds single quotes. Shortens
/// text of more than 80 bytes, and appends "...".
[[nodiscard]] std::string in_quotes(std::string_view text);

}  // namespace scattergate::text
