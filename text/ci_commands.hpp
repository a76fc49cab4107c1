#pragma once

#include <string>
#include <string_view>

/// Makes CI commands in untrusted text harmless. CI runners execute commands that they find in
/// a job's output, anywhere in a line: `##[error]` (GitHub; actions/runner: ActionCommand.cs),
/// `##vso[` (Azure), `##teamcity[`. Text from clients may contain such commands.
namespace scattergate::text {

/// For without_ci_commands(): replaces the second `#` of a CI command in plain text.
constexpr std::string_view hash_in_text = R"(\#)";
constexpr std::string_view hash_in_json = R"(\u0023)";  ///< the same character in JSON: parsers
                                                        ///< read it as `#`

/// Returns `text` with the second `#` of each CI command replaced by `hash`: hash_in_text or
/// hash_in_json.
[[nodiscard]] std::string without_ci_commands(std::string text, std::string_view hash);

}  // namespace scattergate::text
