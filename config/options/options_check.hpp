#pragma once

#include "config/options/load.hpp"
#include "config/options/options.hpp"
#include "config/options/origins.hpp"
#include "config/text/problem_log.hpp"

namespace scattergate::config {

/// Checks valid values against each other: contradictions, missing values, duplicate addresses,
/// unreadable files. Skips what only follows from a value that couldn't be read.
void check_options(const options& made, const origins& from, problem_log& problems);

/// Checks that each listener has an upstream: those in the file and, if the purpose is `run`,
/// the default one. Call it with the problems of reading only: the default listener is skipped
/// if there are any.
void check_upstreams(const options& made, const origins& from, purpose intent,
                     problem_log& problems);

}  // namespace scattergate::config
