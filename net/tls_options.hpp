#pragma once

#include <string>

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

}  // namespace scattergate::net
