#pragma once

#include <string>

namespace CLI {
class App;
}

namespace scattergate::app {

/// A line such as "Did you mean --catalog?" for the first argument that isn't a subcommand or
/// flag of `program` but resembles one; empty if there is none.
[[nodiscard]] std::string suggestion_for(const CLI::App& program, int argc, char** argv);

}  // namespace scattergate::app
