#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/options/options.hpp"
#include "net/endpoint.hpp"
#include "proxy/engine_choice.hpp"
#include "proxy/takeover/address_keeper.hpp"

namespace scattergate::proxy {

/// The addresses on which a daemon listens; port 0 is replaced by the actual port.
struct bound_addresses {
  std::vector<net::endpoint> listeners;  ///< in the order of the options
  net::endpoint admin;                   ///< the admin address
  std::optional<net::endpoint> page;     ///< the page's own address (admin.page_listen)
};

/// Logs the start of the daemon: version, engine, files and addresses. Returns the addresses of
/// the sockets `opened`.
bound_addresses log_start(const config::options& options, const opened_sockets& opened,
                          const chosen_engine& engine);

/// The plain-text line that announces readiness (option log.ready_line).
[[nodiscard]] std::string ready_line(const config::options& options,
                                     const bound_addresses& bound);

/// Formats the addresses of a listener's mongos: "mongos1:27017 or mongos2:27017".
[[nodiscard]] std::string names_of(const std::vector<net::endpoint>& upstreams);

}  // namespace scattergate::proxy
