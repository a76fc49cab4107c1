#pragma once

#include <string>

namespace scattergate::net {

/// TLS towards clients. Files are PEM; a key may stand in the certificate's file.
struct client_tls_options {
  std::string cert_file;
  std::string key_file;        ///< empty: the key is in cert_file
  std::string client_ca_file;  ///< empty: clients need no certificate
  friend bool operator==(const client_tls_options&, const client_tls_options&) = default;
};

/// TLS towards mongos.
struct upstream_tls_options {
  std::string ca_file;      ///< empty: the system's CAs
  std::string cert_file;    ///< empty: we show no certificate
  std::string key_file;     ///< empty: the key is in cert_file
  std::string server_name;  ///< for SNI and the host name check; empty: the upstream's name
  friend bool operator==(const upstream_tls_options&, const upstream_tls_options&) = default;
};

}  // namespace scattergate::net
