#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// Makes CI commands in untrusted text harmless. The runner of a CI job executes commands that
/// it finds in the job's output, and its log viewer interprets others. Text from clients may
/// contain such commands, so all output that a CI log may show passes through these functions:
///
/// | where in a line | commands |
/// | --- | --- |
/// | anywhere | `##[error]` (GitHub, Gitea; actions/runner: ActionCommand.cs), `##vso[`
/// (Azure), `##teamcity[`, `section_start:1:` and `section_end:1:` (GitLab) | | at the start,
/// behind white space | `::error::` (GitHub) | | at the start | `--- `, `+++ `, `~~~ `, `^^^
/// +++` (Buildkite) |
namespace scattergate::text {

/// How a text is written, which determines how a character of a CI command is replaced.
enum class ci_syntax : std::uint8_t {
  plain,  ///< text for people, Markdown or CSV: a backslash precedes the character
  json,   ///< JSON, or YAML in double quotes: an escape sequence, so parsers read the same text
  markup,  ///< HTML or XML: a character reference, so parsers read the same text
};

/// Breaks the CI commands in a text of whole lines.
[[nodiscard]] std::string ci_safe(std::string text, ci_syntax syntax);

/// Breaks the CI commands in a part of a line. Commands that are such only at a line's start
/// stay.
[[nodiscard]] std::string ci_safe_part(std::string text, ci_syntax syntax);

/// Makes untrusted text safe for a terminal and for the log of a CI job: one line of UTF-8.
/// Replaces each invisible character (text/utf8.hpp) by `?`. If the text isn't UTF-8, also
/// replaces each byte that isn't ASCII. Puts a backslash into each CI command, so that no CI
/// runner executes the command (ci_safe()).
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
