#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "text/problem.hpp"

/// Reads the answer of /api/v1/samples.
namespace scattergate::report {

/// A command of a running daemon, or one made from its shape.
struct sampled_command {
  std::string place;                             ///< the shape's hash
  bool is_made_up = false;                       ///< the values were made up by their types
  text::result<std::vector<std::byte>> command;  ///< with `$db`
};

/// Reads one line. Without a sample, the command is made from the shape: each placeholder
/// becomes a value of its type; numbers increase from left to right, so that ranges aren't
/// empty. Truncated shapes, and shapes with values that can't be made up, give no command.
[[nodiscard]] sampled_command read_sample(std::string_view line);

}  // namespace scattergate::report
