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

/// What the admin address shows, and how. A reload makes new ones: connections keep the TLS
/// that they began with, each request goes by the newest. Thread-safety: immutable.
struct admin_settings {
  bool page = true;                                        ///< stays what it was at the start
  answer_room room{config::limit_options{}.memory_bytes};  ///< stays too
  std::shared_ptr<const net::tls_context> tls;             ///< null: plain
  std::string token;                                       ///< as admin_access::settings has it
  std::vector<std::string> hosts;                          ///< likewise
  std::string grafana_link;  ///< admin_access_options::grafana_link
};

/// As the options say, from the files that they name. A problem where a certificate, a key or
/// the token can't be used.
[[nodiscard]] text::result<admin_settings> admin_settings_of(const config::options& from);

/// Who gets in at a socket that is bound so.
[[nodiscard]] admin_access access_of(const net::socket_address& local,
                                     const net::endpoint& bound, const admin_settings& with);

}  // namespace scattergate::telemetry
