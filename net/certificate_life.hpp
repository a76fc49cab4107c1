#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

using SSL = struct ssl_st;
using X509 = struct x509_st;

namespace scattergate::net {

/// How a certificate stands at a point in time.
enum class certificate_phase : std::uint8_t { valid, not_yet_valid, expires_soon, expired };

/// When a certificate is valid.
struct certificate_life {
  /// A certificate that expires within this time expires soon.
  static constexpr std::chrono::days soon{14};

  std::int64_t begins = 0;  ///< Unix seconds
  std::int64_t ends = 0;    ///< Unix seconds; 0: there is no certificate

  /// `valid` where there is no certificate.
  [[nodiscard]] certificate_phase phase(
      std::chrono::system_clock::time_point now) const noexcept;
};

/// Both times are 0 where `certificate` is null or a time in it can't be read.
[[nodiscard]] certificate_life life_of(const X509* certificate) noexcept;

/// The certificates of a PEM file, in their order; empty where it has none that can be read.
[[nodiscard]] std::vector<certificate_life> certificates_in(const std::string& pem_file);

/// That of the certificate that the peer has shown; of a connection whose handshake has ended.
[[nodiscard]] certificate_life life_of_peer(const SSL* connection) noexcept;

/// What OpenSSL had against the peer's certificate.
enum class certificate_fault : std::uint8_t {
  none,
  wrong_name,
  expired,
  not_yet_valid,
  untrusted,  ///< no CA that we trust vouches for it
  other,
};
[[nodiscard]] certificate_fault fault_of_peer(const SSL* connection) noexcept;

}  // namespace scattergate::net
