#pragma once

#include <string>
#include <string_view>

/// CI runners execute commands that they find in the output of a job, anywhere in a line:
/// `##[error]` (GitHub; actions/runner: ActionCommand.cs), `##vso[` (Azure), `##teamcity[`.
/// Text from clients may contain such commands, so our output must not repeat them unchanged.
namespace scattergate::text {

/// What to write in plain text instead of the second `#` of a CI command.
constexpr std::string_view hash_in_text = R"(\#)";
constexpr std::string_view hash_in_json = R"(\u0023)";  ///< the same for JSON, whose parsers
                                                        ///< read it as `#`

/// `text` with the second `#` of each CI command replaced by `hash`.
[[nodiscard]] std::string without_ci_commands(std::string text, std::string_view hash);

}  // namespace scattergate::text
