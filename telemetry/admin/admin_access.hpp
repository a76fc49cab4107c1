#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/options/options.hpp"
#include "net/endpoint.hpp"
#include "net/socket_address.hpp"
#include "net/tls_context.hpp"
#include "telemetry/admin/admin_pages.hpp"
#include "text/problem.hpp"

namespace scattergate::telemetry {

/// Decides which requests to an admin address may pass. Refuses cross-site requests (Fetch
/// Metadata) for every path, except for links to the page and the runbook. All other requests
/// for metrics and health pass.
///
/// The other paths show query shapes (commands without values), users and comments. A request
/// for them must have a Host header that names this server (against DNS rebinding). On
/// loopback, it needs the token if one is set. Beyond loopback, it needs TLS and the token.
/// Thread-safety: immutable.
class admin_access {
 public:
  struct settings {
    std::string bound_host;   ///< the name or address that the server listens on; empty: a Unix
                              ///< socket, for which any Host header is accepted
    bool is_loopback = true;  ///< only users of this host can connect
    bool is_secured = false;  ///< connections use TLS
    std::vector<std::string> hosts;  ///< additional names accepted in the Host header
    std::string token;  ///< the token that the header Authorization must contain; empty: no
                        ///< token is set
  };

  explicit admin_access(settings configured);

  /// The parts of a request that determine access. Views, valid as long as the HTTP request.
  struct request {
    std::string_view target;         ///< the request's path and query
    std::string_view host;           ///< header Host, with or without a port; empty: none
    std::string_view authorization;  ///< header Authorization
    std::string_view fetch_site;     ///< header Sec-Fetch-Site; only browsers send it
    std::string_view fetch_mode;     ///< header Sec-Fetch-Mode
    std::string_view fetch_dest;     ///< header Sec-Fetch-Dest
    bool is_get = true;              ///< the method is GET
  };

  /// Whether a path needs no token: true for /metrics, /healthz and /readyz.
  [[nodiscard]] static bool is_public(std::string_view path) noexcept;

  /// The reply that refuses the request; std::nullopt if access is granted.
  [[nodiscard]] std::optional<admin_reply> refuse(const request& one) const;

 private:
  [[nodiscard]] bool is_our_host(std::string_view header) const;
  [[nodiscard]] bool has_token(std::string_view authorization) const;

  settings with_;
};

/// Reads the token from the first line of `file`. Returns a problem if the file can't be read
/// or the line has fewer than 16 characters.
[[nodiscard]] text::result<std::string> read_token(const std::string& file);

/// How much memory the admin server may use for replies, in bytes. This memory is reserved from
/// limits.memory. Therefore the page and the API work even if clients use up the rest, and slow
/// readers of replies don't take memory from clients.
struct answer_room {
  /// `limits_memory`: the setting limits.memory, in bytes.
  constexpr explicit answer_room(std::size_t limits_memory) noexcept
      : in_all(std::min(limits_memory / 8, std::size_t{64} << 20)),
        each(std::max(in_all / 4, std::size_t{1} << 20)) {}

  /// The reserved part of limits.memory, in bytes: an eighth, but at most 64 MiB.
  std::size_t in_all;
  /// The size limit of one uncompressed reply about query shapes, in bytes: a quarter of
  /// `in_all`, but at least 1 MiB. Making a reply takes up to twice this size (a growing
  /// string, and its compressed copy). The replies being sent at any one time also take at most
  /// about this size in total.
  std::size_t each;
};

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
