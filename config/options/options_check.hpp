#pragma once

#include "config/options/load.hpp"
#include "config/options/options.hpp"
#include "config/options/origins.hpp"
#include "config/text/problem_log.hpp"

namespace scattergate::config {

/// Checks values that are valid by themselves: contradictions between them, missing values,
/// duplicate addresses, unreadable files. Skips problems that only follow from a value that
/// couldn't be read.
void check_options(const options& made, const origins& from, problem_log& problems);

/// Checks that each listener of the file has an upstream and, if the purpose is `run`, that the
/// default listener has one. Call it with the problems of reading only: if there are any, it
/// skips the default listener, because the unread part may have been the upstream.
void check_upstreams(const options& made, const origins& from, purpose intent,
                     problem_log& problems);

}  // namespace scattergate::config
