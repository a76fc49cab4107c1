#pragma once

#include <string>

#include "config/options/options.hpp"
#include "config/options/origins.hpp"
#include "config/text/problem_log.hpp"

namespace scattergate::config {

/// Reads a configuration file into `to`, and records the line of each value in `from`. Adds
/// problems for an unreadable file and invalid values.
void read_options_file(const std::string& file, options& to, origins& from,
                       problem_log& problems);

}  // namespace scattergate::config
