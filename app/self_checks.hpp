#pragma once

#include <memory>

#include "config/options/options.hpp"
#include "proxy/daemon.hpp"
#include "report/verify/self_check.hpp"

namespace scattergate::app {

/// The standing self-check of a daemon; null where it is off. It ends before the daemon does.
[[nodiscard]] std::unique_ptr<report::self_check> start_self_check(
    const config::options& options, proxy::daemon& of);

}  // namespace scattergate::app
