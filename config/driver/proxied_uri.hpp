#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "net/endpoint.hpp"
#include "net/tls_options.hpp"
#include "text/problem.hpp"

namespace scattergate::config {

/// A connection string, taken apart as it is written: nothing is decoded but hosts, so that
/// what is left alone stays as it is to the byte (specifications: connection-string).
struct uri_parts {
  std::string scheme;                ///< "mongodb" or "mongodb+srv"
  std::string userinfo;              ///< "user:password@", or empty
  std::string hosts;                 ///< "a:27017,b"
  std::string database;              ///< "/name", "/", or empty
  std::vector<std::string> options;  ///< "name=value", in their order

  [[nodiscard]] bool is_srv() const noexcept { return scheme == "mongodb+srv"; }

  /// The first option of this name, whatever its case; nothing where there is none.
  [[nodiscard]] std::optional<std::string> option(std::string_view name) const;
};

/// What a host name stands for in the DNS, for mongodb+srv.
struct srv_answer {
  std::vector<std::string> hosts;  ///< "host:port"
  std::string options;             ///< of the TXT record: "authSource=admin&replicaSet=rs0"
};

/// A connection string that leads to a proxy, and where the proxy has to lead.
struct proxied_uri {
  uri_parts parts;                               ///< without hosts, SRV and TLS
  std::vector<net::endpoint> upstream;           ///< where it led
  std::optional<net::upstream_tls_options> tls;  ///< how it was secured

  /// The connection string that leads to `proxy`. `is_direct`: the driver is to stay with it
  /// whatever the server says of its replica set.
  [[nodiscard]] std::string through(const net::endpoint& proxy, bool is_direct) const;

  /// The upstream alone, without credentials, for asking it what it is.
  [[nodiscard]] std::string asking(const net::endpoint& one) const;
};

/// Takes a connection string apart.
[[nodiscard]] text::result<uri_parts> parse_uri(std::string_view text);

/// Whether a text is meant as a MongoDB connection string.
[[nodiscard]] bool is_mongo_uri(std::string_view text) noexcept;

/// Moves what a proxy does in the client's place out of a connection string; or says, without a
/// password, why it can't go through a proxy. `srv` is what the DNS answered where the scheme
/// asks for it.
[[nodiscard]] text::result<proxied_uri> prepare_uri(uri_parts parts,
                                                    const text::result<srv_answer>& srv);

}  // namespace scattergate::config
