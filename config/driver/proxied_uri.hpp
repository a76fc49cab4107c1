#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "net/endpoint.hpp"
#include "net/tls_context.hpp"
#include "text/problem.hpp"

namespace scattergate::config {

/// The parts of a connection string, as written, without decoding (specifications:
/// connection-string).
struct uri_parts {
  std::string scheme;                ///< "mongodb" or "mongodb+srv"
  std::string userinfo;              ///< "user:password@", or empty
  std::string hosts;                 ///< "a:27017,b"
  std::string database;              ///< "/name", "/", or empty
  std::vector<std::string> options;  ///< "name=value", in the order of the text

  [[nodiscard]] bool is_srv() const noexcept { return scheme == "mongodb+srv"; }

  /// The decoded value of the first option with this name, ignoring case; std::nullopt if
  /// there is none.
  [[nodiscard]] std::optional<std::string> option(std::string_view name) const;
};

/// The DNS records of a mongodb+srv host name.
struct srv_answer {
  std::vector<std::string> hosts;  ///< "host:port"
  std::string options;  ///< from the TXT record: "authSource=admin&replicaSet=rs0"; empty:
                        ///< none
};

/// A connection string, split for use with a proxy: the parts for the client, which connects to
/// the proxy, and the servers to which the proxy connects.
struct proxied_uri {
  uri_parts parts;  ///< without SRV and TLS options; `hosts` and `scheme` are unused
  std::vector<net::endpoint> upstream;  ///< the hosts of the original connection string
  std::optional<net::upstream_tls_options> tls;  ///< the TLS options of the original
                                                 ///< connection string; empty: no TLS

  /// Makes the connection string for the client, with `proxy` as its only host. `is_direct`:
  /// adds directConnection=true, so that the driver uses only the proxy, even if the server
  /// names the members of a replica set.
  [[nodiscard]] std::string through(const net::endpoint& proxy, bool is_direct) const;

  /// Makes a connection string for one of the servers, without credentials. Connecting to it
  /// shows what kind of server it is.
  [[nodiscard]] std::string asking(const net::endpoint& one) const;
};

/// Splits a connection string into its parts. Returns a problem if it is malformed.
[[nodiscard]] text::result<uri_parts> parse_uri(std::string_view text);

/// Whether `text` begins with mongodb:// or mongodb+srv://.
[[nodiscard]] bool is_mongo_uri(std::string_view text) noexcept;

/// Prepares a connection string for a proxy: separates the hosts and the TLS options, which the
/// proxy uses, from the rest, which the client uses. `srv`: the result of look_up_srv(), used
/// only for mongodb+srv. If the connection string can't be proxied, returns a problem that
/// doesn't contain the password.
[[nodiscard]] text::result<proxied_uri> prepare_uri(uri_parts parts,
                                                    const text::result<srv_answer>& srv);

/// Looks up a mongodb+srv name in the DNS: its SRV records, and its TXT record, which may be
/// missing. `service`: the connection string's srvServiceName, "mongodb" by default. Returns a
/// problem if there is no SRV record, or if the reply is invalid (see read_srv_reply()).
/// Blocks for as long as the resolver's configuration permits.
[[nodiscard]] text::result<srv_answer> look_up_srv(const std::string& name,
                                                   const std::string& service);

/// Parses a DNS reply with the SRV records of `name` to "host:port" texts. Returns a problem if
/// the reply is invalid or has no SRV record, or if a host is outside of the domain of `name`:
/// a DNS server must not lead clients elsewhere (specifications:
/// initial-dns-seedlist-discovery). Public for tests.
[[nodiscard]] text::result<srv_answer> read_srv_reply(std::span<const unsigned char> reply,
                                                      std::string_view name);

/// The text of the TXT record in a DNS reply; empty if the reply is invalid, or has no TXT
/// record or several. Public for tests.
[[nodiscard]] std::string read_txt_reply(std::span<const unsigned char> reply);

}  // namespace scattergate::config
