#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "net/endpoint.hpp"
#include "net/tls_context.hpp"
#include "text/problem.hpp"

namespace scattergate::app {

/// The flags --token-file and --ca-file. They give access to a daemon whose admin address
/// requires a token or TLS. The admin address is the HTTP address for metrics, API and page.
struct admin_credential_files {
  /// The file whose first line is the token, as for the setting admin.token_file; unset: no
  /// token.
  std::optional<std::string> token_file;
  /// The CAs to trust for https, in PEM; unset: the system's CAs.
  std::optional<std::string> ca_file;
};

/// The credentials for daemons' admin addresses: the content of the files in
/// admin_credential_files.
struct admin_credentials {
  std::string token;                            ///< empty: no token
  std::shared_ptr<const net::tls_context> tls;  ///< the CAs to trust for https; null: the
                                                ///< system's CAs
};
/// Reads the token and the CAs from their files. Returns a problem if a file can't be read or
/// is invalid.
[[nodiscard]] text::result<admin_credentials> read_admin_credentials(
    const admin_credential_files& given);

/// A daemon's admin address, with the TLS trust and the token for requests to it.
struct admin_address {
  net::endpoint at;
  bool has_tls = false;
  /// The CAs to trust if `has_tls`. Null: any certificate is accepted; use this only without a
  /// token.
  std::shared_ptr<const net::tls_context> trust{};
  std::string token{};  ///< empty: no token
};

/// The port of an admin address without a port.
inline constexpr std::uint16_t admin_port = 19216;

/// Whether `text` begins with http:// or https://.
[[nodiscard]] bool is_url(std::string_view text) noexcept;

/// Parses HOST:PORT, unix:PATH, http://HOST:PORT or https://HOST:PORT. Without PORT, uses
/// admin_port. `credentials`: for requests to the address. Returns a problem for any other
/// form, and if a token would be sent to another host without TLS.
[[nodiscard]] text::result<admin_address> admin_address_of(
    std::string_view text, const admin_credentials& credentials);

}  // namespace scattergate::app
