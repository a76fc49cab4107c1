#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/driver/proxied_uri.hpp"
#include "config/options/options.hpp"
#include "text/problem.hpp"

namespace scattergate::app {

/// The servers that the command of `gate` would connect to. They come from connection strings
/// in environment variables. The proxy gets a listener for each distinct set of servers that a
/// connection string names. environment() gives the variables new values that point to the
/// listeners.
class gate_targets {
 public:
  /// Reads the servers from the environment variables with these names. If `upstream` (hosts or
  /// a connection string) is set, its servers replace those of the variables, and missing or
  /// empty variables are ignored. May query the DNS. Returns a problem if a variable has no
  /// usable connection string, or if there is no server.
  [[nodiscard]] text::result<void> read(const std::vector<std::string>& variables,
                                        const std::optional<std::string>& upstream);

  /// Chooses the servers to use, by asking what they are. Usable are a mongos, a standalone
  /// mongod and a primary. Asks the servers of each connection string in turn, until one is
  /// usable. If it is a mongos, keeps all servers of the connection string, for failover;
  /// otherwise keeps only the usable one.
  ///
  /// A server need not be up: one that doesn't answer counts as one that isn't a mongos, and
  /// the proxy connects to it when the first client connects. But waits up to `patience` if the
  /// gate must know the server: if `needs_mongos` (the catalog is read from it), or if the
  /// connection string has several servers, of which only one may be the primary. Returns a
  /// problem if such a server doesn't answer in time, or if no server is usable.
  [[nodiscard]] text::result<void> probe(std::chrono::seconds patience, bool needs_mongos);

  /// Asks the servers that didn't answer probe() again. Returns a problem with the reason if
  /// one still doesn't answer.
  [[nodiscard]] text::result<void> probe_absent() const;

  /// The proxy's listeners, each on a free port of the loopback address.
  [[nodiscard]] std::vector<config::listener_options> listeners() const;

  /// The environment variables to change for the command, by name. Each has a connection string
  /// of its listener as the new value. SCATTERGATE_URI is added: it has the first variable's
  /// new value or, without variables, the first listener's connection string. `bound`: the
  /// listeners' addresses, in the order of listeners().
  [[nodiscard]] std::map<std::string, std::string> environment(
      const std::vector<net::endpoint>& bound) const;

  /// Whether all servers are mongos, so that the cluster's own catalog can be used. REQUIRES:
  /// probe() succeeded.
  [[nodiscard]] bool are_mongos() const;
  /// A connection string of the first server, without credentials.
  [[nodiscard]] std::string uri() const;

 private:
  struct target {
    std::vector<net::endpoint> upstream;
    std::optional<net::upstream_tls_options> tls;
    bool is_mongos = false;
    bool is_absent = false;  ///< it didn't answer probe()
  };
  /// The answer of a target's servers.
  struct probed {
    bool is_usable = false;
    bool has_answered = false;  ///< a server answered, usable or not
    std::string why;            ///< why none is usable
  };
  struct variable {
    std::string name;
    config::proxied_uri uri;
    std::size_t target = 0;
  };

  [[nodiscard]] text::result<void> add(const std::string& name, const std::string& text);
  [[nodiscard]] std::size_t target_of(const config::proxied_uri& uri);
  [[nodiscard]] static probed probe(target& one);
  [[nodiscard]] static text::result<void> probe(target& one, std::chrono::seconds patience,
                                                bool is_needed);

  std::vector<target> targets_;
  std::vector<variable> variables_;
  bool is_one_upstream_ = false;  // all variables lead to the servers that --upstream names
};

}  // namespace scattergate::app
