#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "telemetry/admin/admin_pages.hpp"
#include "text/problem.hpp"

namespace scattergate::telemetry {

/// Decides which requests to the admin address may pass. Metrics and health are public. The
/// status page and /api/ show query shapes, users and comments, so they need a token if one is
/// set; beyond loopback they need both TLS and a token. Also refuses requests with a foreign
/// Host header (DNS rebinding) and, for any path, cross-site requests (Fetch Metadata), except
/// for links to the page and the runbook. Thread-safety: immutable.
class admin_access {
 public:
  struct settings {
    std::string bound_host;          ///< listening name or address; empty: a Unix socket
    bool is_loopback = true;         ///< only users of this host can connect
    bool is_secured = false;         ///< connections use TLS
    std::vector<std::string> hosts;  ///< further names to accept in the Host header
    std::string token;               ///< the token that requests need; empty: none
  };

  explicit admin_access(settings configured);

  /// The parts of a request that determine access. Views.
  struct request {
    std::string_view target;
    std::string_view host;           ///< header Host, with or without a port; empty: none
    std::string_view authorization;  ///< header Authorization
    std::string_view fetch_site;     ///< header Sec-Fetch-Site; only browsers send it
    std::string_view fetch_mode;     ///< header Sec-Fetch-Mode
    std::string_view fetch_dest;     ///< header Sec-Fetch-Dest
    bool is_get = true;
  };

  /// Whether anyone may read this path: /metrics, /healthz and /readyz.
  [[nodiscard]] static bool is_public(std::string_view path) noexcept;

  /// The refusal to reply with; std::nullopt if access is granted.
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
