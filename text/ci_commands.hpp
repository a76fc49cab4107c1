#pragma once

#include <string>
#include <string_view>

/// Names and comments of clients may hold what a CI runner that shows our output takes for a
/// command anywhere in a line: `##[error]` (GitHub; actions/runner: ActionCommand.cs), `##vso[`
/// (Azure), `##teamcity[`.
namespace scattergate::text {

/// What the second `#` of such a command becomes.
constexpr std::string_view hash_in_text = R"(\#)";
constexpr std::string_view hash_in_json = R"(\u0023)";  ///< the same character to a program

/// `text` without such commands.
[[nodiscard]] std::string without_ci_commands(std::string text, std::string_view hash);

}  // namespace scattergate::text
