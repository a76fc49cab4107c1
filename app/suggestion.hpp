#pragma once

#include <string>

namespace CLI {
class App;
}

namespace scattergate::app {

/// A line such as "Did you mean --catalog?" for the first argument that `program` doesn't know,
/// but that resembles a subcommand or flag. Empty if there is no such argument.
[[nodiscard]] std::string suggestion_for(const CLI::App& program, int argc, char** argv);

}  // namespace scattergate::app
