#pragma once

#include <chrono>

#include "app/checks/connect_log.hpp"
#include "config/options/options.hpp"
#include "net/endpoint.hpp"
#include "net/tls_context.hpp"

namespace scattergate::app {

/// How long a step of `check --connect` may take.
inline constexpr std::chrono::seconds step_time{5};

/// Reaches an upstream as the daemon would: its name, TCP, TLS where `tls` isn't null, a hello.
/// A step behind one that fails is left out. Returns whether MongoDB answers there.
[[nodiscard]] bool try_upstream(const config::listener_options& listener,
                                const net::endpoint& upstream, const net::tls_context* tls,
                                connect_log& to);

}  // namespace scattergate::app
