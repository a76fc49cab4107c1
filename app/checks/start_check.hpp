#pragma once

#include <vector>

#include "config/options/load.hpp"
#include "text/problem.hpp"

namespace scattergate::app {

/// The reasons why `run` wouldn't start although the options are valid: unusable certificates,
/// files that can't be written, addresses that can't be bound, a system that refuses io_uring.
/// A state file that can't be written is a problem, too, although `run` would start. An address
/// in use is no problem, because usually the daemon with this configuration uses it. Leaves no
/// files or sockets behind.
[[nodiscard]] std::vector<text::problem> check_start(const config::loaded_options& loaded);

}  // namespace scattergate::app
