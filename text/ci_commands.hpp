#pragma once

#include <cstdint>
#include <string>

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

}  // namespace scattergate::text
