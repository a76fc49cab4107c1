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
/// open connections. Open connections keep their TLS context. Thread-safety: immutable.
struct admin_settings {
  bool page = true;  ///< whether to serve the page and the API; a reload doesn't change it
  answer_room room{config::limit_options{}.memory_bytes};  ///< limits of the replies' memory;
                                                           ///< a reload doesn't change them
  std::shared_ptr<const net::tls_context> tls;  ///< the TLS context for new connections; null:
                                                ///< no TLS
  std::string token;                            ///< see admin_access::settings
  std::vector<std::string> hosts;               ///< see admin_access::settings
  /// A template of a link to Grafana (admin_access_options::grafana_link); empty: none.
  std::string grafana_link;
};

/// Builds the settings from the options and the files that they name. Returns a problem if the
/// certificate, its key or the token can't be used.
[[nodiscard]] text::result<admin_settings> admin_settings_of(const config::options& from);

/// Makes the access rules of a listening socket. `local`: the socket's actual address;
/// `bound`: its configured address.
[[nodiscard]] admin_access access_of(const net::socket_address& local,
                                     const net::endpoint& bound,
                                     const admin_settings& settings);

}  // namespace scattergate::telemetry
