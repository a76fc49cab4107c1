#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "text/problem.hpp"

/// Reads the answer of /api/v1/samples.
namespace scattergate::report {

/// A command that a running daemon has sampled, or one made from a command's shape (its text
/// without values).
struct sampled_command {
  std::string shape_hash;                        ///< the shape's hash
  bool is_made_up = false;                       ///< the values were made up from their types
  text::result<std::vector<std::byte>> command;  ///< BSON, with `$db`
};

/// Reads one line. If the line has no sample, makes the command from the shape: each
/// placeholder becomes a value of the placeholder's type. Numbers increase from left to right,
/// so that ranges aren't empty. `command` is a problem if the line can't be read, its shape is
/// truncated, or a value can't be made up.
[[nodiscard]] sampled_command read_sample(std::string_view line);

}  // namespace scattergate::report
