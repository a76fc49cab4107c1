#pragma once

#include <string>
#include <string_view>

namespace scattergate::text {

/// Makes a text from outside fit for a terminal and for the log of a CI job: one line of UTF-8,
/// with a `?` for each character that can't be seen (text/unseen.hpp) and, where the
/// text isn't UTF-8, for each byte that isn't ASCII. A backslash breaks what a CI runner takes
/// for a command anywhere in a line (text/ci_commands.hpp).
[[nodiscard]] std::string printable(std::string_view text);

/// As printable(), for a whole line: a backslash before `::` at its start too, by which
/// GitHub's runner knows `::error::` and `::stop-commands::`.
[[nodiscard]] std::string printable_line(std::string_view line);

/// printable_line() for each line of a text, which end as they did.
[[nodiscard]] std::string printable_lines(std::string_view text);

/// A string from outside as a problem shows it: in quotes, cut where it is long, printable.
[[nodiscard]] std::string in_quotes(std::string_view text);

}  // namespace scattergate::text
