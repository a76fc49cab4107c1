#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "text/problem.hpp"

using SSL_CTX = struct ssl_ctx_st;
using SSL = struct ssl_st;

using SSL = struct ssl_st;
using X509 = struct x509_st;

namespace scattergate::net {

/// TLS settings for connections from clients. Each file is PEM; cert_file may contain the key.
struct client_tls_options {
  std::string cert_file;       ///< the server's certificate, with intermediate certificates
  std::string key_file;        ///< empty: the key is in cert_file
  std::string client_ca_file;  ///< empty: clients need no certificate
  friend bool operator==(const client_tls_options&, const client_tls_options&) = default;
};

/// TLS settings for connections to mongos. Each file is PEM; cert_file may contain the key.
struct upstream_tls_options {
  std::string ca_file;      ///< empty: the system's CAs
  std::string cert_file;    ///< empty: no client certificate
  std::string key_file;     ///< empty: the key is in cert_file
  std::string server_name;  ///< for SNI and certificate verification; empty: the upstream's
                            ///< host name
  friend bool operator==(const upstream_tls_options&, const upstream_tls_options&) = default;
};

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

/// Frees a connection's TLS state.
struct ssl_deleter {
  void operator()(SSL* state) const noexcept;
};
/// Owns the TLS state of one connection.
using ssl_handle = std::unique_ptr<SSL, ssl_deleter>;

/// The certificates, keys and rules for TLS 1.2 or newer: one context for all connections from
/// clients, or one for all connections to mongos. A reload of the certificates creates a new
/// context; existing connections keep the old one. Thread-safety: immutable.
class tls_context {
 public:
  /// A new context, or a problem that names the file or setting that can't be used.
  using made = text::result<std::shared_ptr<const tls_context>>;

  /// The context for connections from clients. On failure, the problem names the file that
  /// can't be used.
  [[nodiscard]] static made for_clients(const client_tls_options& options);

  /// The context for connections to mongos. On failure, the problem names the file that can't
  /// be used, or the server_name for which no certificate can be verified.
  [[nodiscard]] static made for_upstream(const upstream_tls_options& options);

  /// Server-side TLS state for a connection without a socket; the caller must attach a BIO.
  /// Null if out of memory.
  [[nodiscard]] ssl_handle accept() const;
  /// Server-side TLS state for a connection over `fd`; null if out of memory.
  [[nodiscard]] ssl_handle accept_over(int fd) const;

  /// Client-side TLS state for a connection over `fd`. The handshake fails if the server's
  /// certificate is for another name than upstream_tls_options::server_name. If that option is
  /// empty, the name must be `name`, a host name or IP address. Null if out of memory, or if
  /// OpenSSL can't verify the name.
  [[nodiscard]] ssl_handle connect_over(int fd, const std::string& name) const;

  /// Checks, without connecting, whether OpenSSL can verify the name that connect_over() would
  /// require of a certificate: upstream_tls_options::server_name, or `name` if that is empty.
  [[nodiscard]] text::result<void> check_name(const std::string& name) const;

  /// The period of validity of scattergate's own certificate; both times are 0 if there is
  /// none.
  [[nodiscard]] const certificate_life& life() const noexcept { return life_; }
  /// The expiry of scattergate's own certificate, in Unix seconds; 0 if there is none.
  [[nodiscard]] std::int64_t expires_at() const noexcept { return life_.ends; }
  /// The file of scattergate's own certificate; empty if there is none.
  [[nodiscard]] const std::string& certificate_file() const noexcept { return file_; }

 private:
  struct context_deleter {
    void operator()(SSL_CTX* context) const noexcept;
  };
  using context_handle = std::unique_ptr<SSL_CTX, context_deleter>;

  tls_context(context_handle context, std::string file) noexcept;
  [[nodiscard]] static text::result<context_handle> make(bool is_server);
  [[nodiscard]] ssl_handle over(int fd) const;

  context_handle context_;
  std::string server_name_;  ///< upstream_tls_options::server_name; empty for clients
  std::string file_;
  certificate_life life_;
};

}  // namespace scattergate::net
