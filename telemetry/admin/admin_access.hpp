#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace scattergate::telemetry
