#pragma once

#include <string>

#include "config/options/options.hpp"
#include "config/options/origins.hpp"
#include "config/text/problem_log.hpp"

namespace scattergate::config {

/// Reads a configuration file into `to`, and records the lines of its values in `from`.
void read_options_file(const std::string& file, options& to, origins& from,
                       problem_log& problems);

}  // namespace scattergate::config
