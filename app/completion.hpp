#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace scattergate::app {

/// What a shell reads to complete the program's subcommands, flags and values, made from what
/// the program itself takes: `bash`, `zsh` or `fish`. Nothing for another shell.
[[nodiscard]] std::optional<std::string> completion_for(std::string_view shell,
                                                        const CLI::App& program);

}  // namespace scattergate::app
