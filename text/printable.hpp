#pragma once

#include <string>
#include <string_view>

namespace scattergate::text {

/// Makes untrusted text safe for a terminal and for the log of a CI job: one line of UTF-8,
/// with a `?` for each invisible character (text/unseen.hpp) and, if the text isn't UTF-8, for
/// each byte that isn't ASCII. Puts a backslash into each CI command, so that no CI runner
/// executes it (text/ci_commands.hpp).
[[nodiscard]] std::string printable(std::string_view text);

/// Same as printable(), for a whole line: also puts a backslash before a leading `::`, with
/// which GitHub's commands such as `::error::` and `::stop-commands::` begin.
[[nodiscard]] std::string printable_line(std::string_view line);

/// Applies printable_line() to each line of a text. Line ends stay.
[[nodiscard]] std::string printable_lines(std::string_view text);

/// Formats untrusted text for a message: in single quotes, printable(), shortened to about 80
/// bytes.
[[nodiscard]] std::string in_quotes(std::string_view text);

}  // namespace scattergate::text
