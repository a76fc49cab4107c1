#pragma once

#include "config/options/load.hpp"
#include "config/options/options.hpp"
#include "config/options/origins.hpp"
#include "config/text/problem_log.hpp"

namespace scattergate::config {

/// Checks all options together, after each value was read and checked alone. Adds problems for
/// contradictions between values, missing values, duplicate addresses, unreadable files and
/// connection strings that the driver rejects. Omits problems that only follow from a value
/// that was found wrong before (origins::is_wrong).
void check_options(const options& made, const origins& from, problem_log& problems);

/// Checks that each listener has an upstream (a mongos), and adds problems. A listener that
/// isn't in the configuration file comes from flags, the environment or defaults. It is checked
/// only for the purpose `run`, and only if `problems` is empty: otherwise, its upstream may be
/// in a part of the options that couldn't be read.
void check_upstreams(const options& made, const origins& from, purpose intent,
                     problem_log& problems);

}  // namespace scattergate::config
