#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "net/endpoint.hpp"
#include "net/tls_context.hpp"
#include "text/problem.hpp"

namespace scattergate::app {

/// The flags for access to daemons whose admin address requires a token or TLS. Both name
/// files.
struct admin_credential_files {
  /// The token is the first line of this file, as in the setting admin.token_file.
  std::optional<std::string> token_file;
  /// The CAs to trust for https, in PEM; unset: the system's CAs.
  std::optional<std::string> ca_file;
};

/// The content of the files that admin_credential_files name.
struct admin_credentials {
  std::string token;                            ///< empty: none
  std::shared_ptr<const net::tls_context> tls;  ///< the CAs to trust for https; null: the
                                                ///< system's
};
/// Reads the files.
[[nodiscard]] text::result<admin_credentials> read_admin_credentials(
    const admin_credential_files& given);

/// A daemon's admin address, with the TLS trust and the token for requests to it.
struct admin_address {
  net::endpoint at;
  bool has_tls = false;
  /// The CAs to trust. Null: accept any certificate, for requests without secrets.
  std::shared_ptr<const net::tls_context> trust{};
  std::string token{};  ///< empty: none
};

/// The port of an admin address that names none.
inline constexpr std::uint16_t admin_port = 19216;

/// Whether `text` begins with http:// or https://.
[[nodiscard]] bool is_url(std::string_view text) noexcept;

/// Parses HOST:PORT, http://HOST:PORT or https://HOST:PORT. Fails if a token would be sent
/// without TLS to another host.
[[nodiscard]] text::result<admin_address> admin_address_of(
    std::string_view text, const admin_credentials& credentials);

}  // namespace scattergate::app
