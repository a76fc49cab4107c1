#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "net/certificate_life.hpp"
#include "net/tls_options.hpp"
#include "text/problem.hpp"

using SSL_CTX = struct ssl_ctx_st;
using SSL = struct ssl_st;

namespace scattergate::net {

struct ssl_deleter {
  void operator()(SSL* state) const noexcept;
};
/// Owns the TLS state of one connection.
using ssl_handle = std::unique_ptr<SSL, ssl_deleter>;

/// The certificates, keys and rules for all TLS connections from clients, or for all to mongos;
/// TLS 1.2 or newer. A reload of the certificates creates a new context; existing connections
/// keep theirs. Thread-safety: immutable.
class tls_context {
 public:
  using made = text::result<std::shared_ptr<const tls_context>>;

  /// The context for connections from clients. On failure, the problem names the file that
  /// can't be used.
  [[nodiscard]] static made for_clients(const client_tls_options& options);

  /// The context for connections to mongos. On failure, the problem names the file that can't
  /// be used.
  [[nodiscard]] static made for_upstream(const upstream_tls_options& options);

  /// Server-side TLS state without a socket: the caller moves the bytes. Null if out of memory.
  [[nodiscard]] ssl_handle accept() const;
  /// Server-side TLS state for a connection over `fd`; null if out of memory.
  [[nodiscard]] ssl_handle accept_over(int fd) const;

  /// Client-side TLS state for a connection over `fd`. The handshake fails unless the server's
  /// certificate matches `name`, a host name or IP address, or
  /// upstream_tls_options::server_name if that is set. Null if out of memory or if the name
  /// can't be verified.
  [[nodiscard]] ssl_handle connect_over(int fd, const std::string& name) const;

  /// Succeeds if connect_over() can verify `name`, or the server_name that replaces it.
  [[nodiscard]] text::result<void> check_name(const std::string& name) const;

  /// The period of validity of our certificate; zeros if there is none.
  [[nodiscard]] const certificate_life& life() const noexcept { return life_; }
  /// The expiry of our certificate, in Unix seconds; 0 if there is none.
  [[nodiscard]] std::int64_t expires_at() const noexcept { return life_.ends; }
  /// The file of our certificate; empty if there is none.
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
