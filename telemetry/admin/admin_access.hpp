#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "telemetry/admin/admin_pages.hpp"
#include "text/problem.hpp"

namespace scattergate::telemetry {

/// Controls access to the page and /api/, which show shapes, users and comments. Metrics and
/// health are public. Refuses cross-site requests (Fetch Metadata) for any path, requests with
/// a foreign Host header (DNS rebinding), and, unless only local users can connect, requests
/// without the token. Thread-safety: immutable.
class admin_access {
 public:
  struct settings {
    std::string bound_host;          ///< bound name or address; empty: a Unix socket
    bool is_loopback = true;         ///< only users of this host can connect
    bool is_secured = false;         ///< TLS
    std::vector<std::string> hosts;  ///< further accepted names in Host
    std::string token;               ///< empty: no token
  };

  explicit admin_access(settings with);

  /// The parts of a request that determine access. Views.
  struct request {
    std::string_view target;
    std::string_view host;           ///< Host, with or without a port; empty: none
    std::string_view authorization;  ///< Authorization
    std::string_view fetch_site;     ///< Sec-Fetch-Site; only browsers send it
    std::string_view fetch_mode;     ///< Sec-Fetch-Mode
    std::string_view fetch_dest;     ///< Sec-Fetch-Dest
    bool is_get = true;
  };

  /// Whether a path is public: metrics and health.
  [[nodiscard]] static bool is_public(std::string_view path) noexcept;

  /// The refusal to reply with; std::nullopt if access is granted.
  [[nodiscard]] std::optional<admin_reply> refuse(const request& one) const;

 private:
  [[nodiscard]] bool is_our_host(std::string_view header) const;
  [[nodiscard]] bool has_token(std::string_view authorization) const;

  settings with_;
};

/// Reads the token, the first line of `file`. A problem if it is missing or too short.
[[nodiscard]] text::result<std::string> read_token(const std::string& file);

}  // namespace scattergate::telemetry
