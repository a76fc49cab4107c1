#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace scattergate::app {

/// The script with which a shell completes the program's subcommands, flags and values, made
/// from the program's own definitions: for `bash`, `zsh` or `fish`; std::nullopt for other
/// shells.
[[nodiscard]] std::optional<std::string> completion_for(std::string_view shell,
                                                        const CLI::App& program);

}  // namespace scattergate::app
