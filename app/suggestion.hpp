#pragma once

#include <string>

namespace CLI {
class App;
}

namespace scattergate::app {

/// A line that suggests what was probably meant by unknown arguments; empty if nothing is
/// similar.
[[nodiscard]] std::string suggestion_for(const CLI::App& program, int argc, char** argv);

}  // namespace scattergate::app
