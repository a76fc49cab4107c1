#pragma once

#include <string>
#include <string_view>

namespace scattergate::text {

/// Makes untrusted text safe for a terminal and for the log of a CI job: one line of UTF-8,
/// with a `?` for each invisible character (text/unseen.hpp) and, if the text isn't UTF-8, for
/// each byte that isn't ASCII. A backslash defuses what a CI runner executes as a command
/// anywhere in a line (text/ci_commands.hpp).
[[nodiscard]] std::string printable(std::string_view text);

/// printable() for a whole line: also puts a backslash before a leading `::`, by which GitHub's
/// runner recognises `::error::` and `::stop-commands::`.
[[nodiscard]] std::string printable_line(std::string_view line);

/// printable_line() for each line of a text. Line ends stay.
[[nodiscard]] std::string printable_lines(std::string_view text);

/// Untrusted text as shown in a problem: quoted, printable, shortened if long.
[[nodiscard]] std::string in_quotes(std::string_view text);

}  // namespace scattergate::text
