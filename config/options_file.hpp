#pragma once

#include <string>
#include <vector>

#include "config/options.hpp"
#include "config/problem.hpp"

namespace scattergate::config {

/// Reads a configuration file into `to`. Returns the lines on which its listeners begin.
[[nodiscard]] std::vector<std::size_t> read_options_file(const std::string& file, options& to,
                                                         problem_log& problems);

/// The keys of a listener.
[[nodiscard]] std::vector<std::string_view> listener_keys();

}  // namespace scattergate::config
