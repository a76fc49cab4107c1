#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

using SSL = struct ssl_st;
using X509 = struct x509_st;

namespace scattergate::net {

/// A phase of a certificate's period of validity.
enum class certificate_phase : std::uint8_t { valid, not_yet_valid, expires_soon, expired };

/// The period of validity of a certificate.
struct certificate_life {
  /// The duration of the phase `expires_soon`, which precedes the expiry.
  static constexpr std::chrono::days soon{14};

  std::int64_t begins = 0;  ///< notBefore, in Unix seconds
  std::int64_t ends = 0;    ///< notAfter, in Unix seconds; 0: no certificate

  /// The phase at `now`; `valid` if there is no certificate.
  [[nodiscard]] certificate_phase phase(
      std::chrono::system_clock::time_point now) const noexcept;
};

/// The period of validity of `certificate`. A null `certificate` gives 0 for both times. A
/// time that can't be read is 0.
[[nodiscard]] certificate_life life_of(const X509* certificate) noexcept;

/// The periods of validity of the certificates in a PEM file, in file order. Empty if no
/// certificate can be read.
[[nodiscard]] std::vector<certificate_life> certificates_in(const std::string& pem_file);

/// The period of validity of the peer's certificate; both times are 0 if the peer sent none.
/// REQUIRES: the TLS handshake has completed.
[[nodiscard]] certificate_life life_of_peer(const SSL* connection) noexcept;

/// Why OpenSSL rejected a peer's certificate.
enum class certificate_fault : std::uint8_t {
  none,
  wrong_name,  ///< the certificate is for another host
  expired,
  not_yet_valid,
  untrusted,  ///< no trusted CA has signed it
  other,      ///< any other reason
};
/// Why OpenSSL rejected the peer's certificate; `none` if OpenSSL accepted it or the peer sent
/// none. REQUIRES: the TLS handshake has completed or failed.
[[nodiscard]] certificate_fault fault_of_peer(const SSL* connection) noexcept;

}  // namespace scattergate::net
