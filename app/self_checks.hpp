#pragma once

#include <memory>

#include "config/options/options.hpp"
#include "proxy/daemon.hpp"
#include "report/verify/self_check.hpp"

namespace scattergate::app {

/// Starts the self-check of the daemon `of`, which compares verdicts with mongos's explain.
/// Returns null if the setting verify.self_check is off. The caller must destroy the self-check
/// before the daemon.
[[nodiscard]] std::unique_ptr<report::self_check> start_self_check(
    const config::options& options, proxy::daemon& of);

}  // namespace scattergate::app
