#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "net/endpoint.hpp"
#include "net/tls_context.hpp"
#include "text/problem.hpp"

namespace scattergate::app {

/// What the user names to get in at daemons that are guarded: both as files.
struct admin_guard_flags {
  std::optional<std::string> token_file;  ///< its first line is what admin.token_file has
  std::optional<std::string> ca_file;     ///< PEM, of who answers for https; else the system's
};

/// The same, read.
struct admin_guard {
  std::string token;                            ///< empty: none
  std::shared_ptr<const net::tls_context> tls;  ///< who is trusted where https is spoken
};
[[nodiscard]] text::result<admin_guard> read_guard(const admin_guard_flags& given);

/// Where a daemon's admin address is, and how it is spoken to there.
struct admin_address {
  net::endpoint at;
  bool has_tls = false;
  /// Whom we believe to be there; null: whoever it is, for asking what is no secret.
  std::shared_ptr<const net::tls_context> trust{};
  std::string token{};  ///< empty: none
};

inline constexpr std::uint16_t admin_port = 19216;

/// Whether a text begins as a daemon's address: http:// or https://.
[[nodiscard]] bool is_url(std::string_view text) noexcept;

/// Reads HOST:PORT, http://HOST:PORT or https://HOST:PORT. A token goes nowhere without TLS but
/// to this host itself.
[[nodiscard]] text::result<admin_address> admin_address_of(std::string_view text,
                                                           const admin_guard& guard);

}  // namespace scattergate::app
