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
using ssl_handle = std::unique_ptr<SSL, ssl_deleter>;

/// Certificates, keys and rules for one side's TLS connections, TLS 1.2 or newer. A reload
/// makes a new one; connections keep what they began with. Thread-safety: immutable once made.
class tls_context {
 public:
  using made = text::result<std::shared_ptr<const tls_context>>;

  /// For connections that clients open to us. A problem, at the file, where a certificate or
  /// key can't be used.
  [[nodiscard]] static made for_clients(const client_tls_options& options);

  /// For connections that we open to mongos; a problem in the same cases.
  [[nodiscard]] static made for_upstream(const upstream_tls_options& options);

  /// A server's side of a connection, for who brings its bytes; null for want of memory.
  [[nodiscard]] ssl_handle accept() const;
  /// The same of a connection over `fd`.
  [[nodiscard]] ssl_handle accept_over(int fd) const;

  /// A client's side of a connection over `fd` to the host `name` (a name or an IP address),
  /// which its certificate must be for; null where that couldn't be checked.
  [[nodiscard]] ssl_handle connect_over(int fd, const std::string& name) const;

  /// A problem where connect_over() could do nothing with `name`.
  [[nodiscard]] text::result<void> check_name(const std::string& name) const;

  /// When our certificate is valid; nothing is said where we have none.
  [[nodiscard]] const certificate_life& life() const noexcept { return life_; }
  /// The end of that in Unix seconds; 0 where we have none.
  [[nodiscard]] std::int64_t expires_at() const noexcept { return life_.ends; }
  /// The file that it came from; empty where we have none.
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
  std::string server_name_;  ///< to mongos: checked instead of the upstream's own name
  std::string file_;
  certificate_life life_;
};

}  // namespace scattergate::net
