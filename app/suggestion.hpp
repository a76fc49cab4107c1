#pragma once

#include <string>

namespace CLI {
class App;
}

namespace scattergate::app {

/// What was probably meant by arguments that the program doesn't take, as a line to print;
/// empty where nothing is like them.
[[nodiscard]] std::string suggestion_for(const CLI::App& program, int argc, char** argv);

}  // namespace scattergate::app
