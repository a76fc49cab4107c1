#pragma once

#include <string>
#include <string_view>

/// Text from clients may contain what a CI runner that displays our output executes as a
/// command, anywhere in a line: `##[error]` (GitHub; actions/runner: ActionCommand.cs),
/// `##vso[` (Azure), `##teamcity[`.
namespace scattergate::text {

/// Replaces the second `#` of a CI command in plain text.
constexpr std::string_view hash_in_text = R"(\#)";
constexpr std::string_view hash_in_json = R"(\u0023)";  ///< in JSON, where it still means `#`

/// `text` with the second `#` of each CI command replaced by `hash`.
[[nodiscard]] std::string without_ci_commands(std::string text, std::string_view hash);

}  // namespace scattergate::text
