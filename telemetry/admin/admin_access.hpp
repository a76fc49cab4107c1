#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "telemetry/admin/admin_pages.hpp"
#include "text/problem.hpp"

namespace scattergate::telemetry {

/// Who may see the page and what is below /api/: shapes, users and comments are told there.
/// Metrics and health are everybody's. Three things are held against browsers and strangers:
/// a request that another site's page makes (Fetch Metadata), whatever it asks for; a Host that
/// isn't ours, as of a name that was made to lead here (DNS rebinding); and, where others than
/// this host's own users get here, the token.
/// Thread-safety: immutable.
class admin_access {
 public:
  struct settings {
    std::string bound_host;   ///< the name or address that is bound; empty: a Unix socket
    bool is_loopback = true;  ///< only this host's users get here
    bool is_secured = false;  ///< by TLS
    std::vector<std::string> hosts;  ///< further names it may be asked by
    std::string token;               ///< empty: none
  };

  explicit admin_access(settings with);

  /// What a request says of itself. Views.
  struct request {
    std::string_view target;
    std::string_view host;           ///< the header, with or without a port; empty: none
    std::string_view authorization;  ///< the header
    std::string_view fetch_site;     ///< Sec-Fetch-Site, which browsers alone send
    std::string_view fetch_mode;     ///< Sec-Fetch-Mode
    std::string_view fetch_dest;     ///< Sec-Fetch-Dest
    bool is_get = true;
  };

  /// Whether a path is everybody's, who gets there: metrics and health.
  [[nodiscard]] static bool is_everybodys(std::string_view path) noexcept;

  /// What is answered instead; nothing where the request may pass.
  [[nodiscard]] std::optional<admin_reply> refuse(const request& one) const;

 private:
  [[nodiscard]] bool is_our_host(std::string_view header) const;
  [[nodiscard]] bool has_token(std::string_view authorization) const;

  settings with_;
};

/// The first line of a file, which is the token. A problem where there is none, or one so short
/// that it could be guessed.
[[nodiscard]] text::result<std::string> read_token(const std::string& file);

}  // namespace scattergate::telemetry
