#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace scattergate::app {

/// Generates a shell script that completes the subcommands, flags and values of `program` in
/// `shell`: `bash`, `zsh` or `fish`. std::nullopt for other shells.
[[nodiscard]] std::optional<std::string> completion_for(std::string_view shell,
                                                        const CLI::App& program);

}  // namespace scattergate::app
