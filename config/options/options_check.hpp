#pragma once

#include "config/options/load.hpp"
#include "config/options/options.hpp"
#include "config/options/origins.hpp"
#include "config/text/problem_log.hpp"

namespace scattergate::config {

/// Finds what is wrong with values that are good each by itself: what contradicts, what is
/// missing, what is taken twice, which of the named files can't be read. What only follows from
/// a value that could not be read is left out.
void check_options(const options& made, const origins& from, problem_log& problems);

/// Finds what has no upstream: a listener that a file writes, or where `wanted` is to run the
/// one that is there without. To be called with the problems of reading alone: the second kind
/// is left out where there are any.
void check_upstreams(const options& made, const origins& from, purpose wanted,
                     problem_log& problems);

}  // namespace scattergate::config
