#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "text/problem.hpp"

/// Reading what a daemon tells at /api/v1/samples.
namespace scattergate::report {

/// A command of a running daemon, or one made up after its shape.
struct sampled_command {
  std::string place;                             ///< its shape's hash
  bool is_made_up = false;                       ///< its values were made up by their types
  text::result<std::vector<std::byte>> command;  ///< with `$db`
};

/// Reads one line. Where it has no sample, the command is made of its shape: each placeholder
/// becomes some value of its type, numbers growing from left to right so that a range isn't
/// empty. A shape that was cut, or that holds what can't be made up, gives no command.
[[nodiscard]] sampled_command read_sample(std::string_view line);

}  // namespace scattergate::report
