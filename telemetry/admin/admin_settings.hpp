#pragma once

#include <memory>
#include <string>
#include <vector>

#include "config/options/options.hpp"
#include "net/endpoint.hpp"
#include "net/socket_address.hpp"
#include "net/tls_context.hpp"
#include "telemetry/admin/admin_access.hpp"
#include "telemetry/admin/answer_room.hpp"

namespace scattergate::telemetry {

/// The settings of the admin server. After a reload, new requests use the new settings, even on
/// open connections, which keep their TLS context. Thread-safety: immutable.
struct admin_settings {
  bool page = true;  ///< whether to serve the page and the API; not reloadable
  answer_room room{config::limit_options{}.memory_bytes};  ///< reply memory; not reloadable
  std::shared_ptr<const net::tls_context> tls;             ///< null: no TLS
  std::string token;                                       ///< see admin_access::settings
  std::vector<std::string> hosts;                          ///< see admin_access::settings
  std::string grafana_link;  ///< see admin_access_options::grafana_link
};

/// Builds the settings from the options and the files that they name. Returns a problem if the
/// certificate, its key or the token can't be used.
[[nodiscard]] text::result<admin_settings> admin_settings_of(const config::options& from);

/// The access rules of a listening socket. `local`: its actual address; `bound`: the configured
/// one.
[[nodiscard]] admin_access access_of(const net::socket_address& local,
                                     const net::endpoint& bound,
                                     const admin_settings& settings);

}  // namespace scattergate::telemetry
