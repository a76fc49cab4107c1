#pragma once

#include "config/options/load.hpp"
#include "config/options/options.hpp"
#include "config/options/origins.hpp"
#include "config/text/problem_log.hpp"

namespace scattergate::config {

/// Checks options whose single values are valid. Adds problems for contradictions between
/// values, missing values, duplicate addresses and unreadable files. Skips problems that only
/// follow from a value that couldn't be read.
void check_options(const options& made, const origins& from, problem_log& problems);

/// Checks that each listener in the configuration file has an upstream (a mongos). A listener
/// that isn't in the file (from flags, the environment or defaults) is checked only if the
/// purpose is `run` and `problems` is empty at the call: otherwise, the upstream may be in a
/// part of the options that couldn't be read.
void check_upstreams(const options& made, const origins& from, purpose intent,
                     problem_log& problems);

}  // namespace scattergate::config
