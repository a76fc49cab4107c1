#pragma once

#include <chrono>
#include <string_view>

#include "app/checks/connect_log.hpp"
#include "config/options/options.hpp"
#include "net/endpoint.hpp"
#include "net/tls_context.hpp"

namespace scattergate::app {

/// The time limit of a step of `check --connect`.
inline constexpr std::chrono::seconds step_time{5};
/// The text for a step that has exceeded `step_time`.
inline constexpr std::string_view too_late = "no answer within 5 s";
/// The time limit for the MongoDB driver to find a server, and for each reply.
inline constexpr std::chrono::milliseconds driver_time{4'000};

/// Connects to an upstream (a mongos) as the daemon would: resolves the name, connects by TCP,
/// starts TLS, and sends a hello. `tls`: null for no TLS. Prints each step to `to`, and stops
/// at the first step that fails. Returns whether a MongoDB server answered.
[[nodiscard]] bool try_upstream(const config::listener_options& listener,
                                const net::endpoint& upstream, const net::tls_context* tls,
                                connect_log& to);

}  // namespace scattergate::app
