#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/driver/proxied_uri.hpp"
#include "config/options/options.hpp"
#include "text/problem.hpp"

namespace scattergate::app {

/// The servers that a gate's COMMAND would connect to by its environment variables. The proxy
/// gets a listener for each server, and the variables get new values that point to the
/// listener.
class gate_targets {
 public:
  /// Reads the servers from the environment variables with these names, or uses `upstream` as
  /// the only server. Queries the DNS.
  [[nodiscard]] text::result<void> read(const std::vector<std::string>& variables,
                                        const std::optional<std::string>& upstream);

  /// Asks each server what kind it is. Returns a problem if one can't be used with a gate.
  [[nodiscard]] text::result<void> probe();

  /// The proxy's listeners, each on a free port of the loopback address.
  [[nodiscard]] std::vector<config::listener_options> listeners() const;

  /// The changed variables of COMMAND's environment. `bound`: the listeners' addresses, in the
  /// same order.
  [[nodiscard]] std::map<std::string, std::string> environment(
      const std::vector<net::endpoint>& bound) const;

  /// Whether all servers are mongos, so that the cluster's own catalog can be used.
  [[nodiscard]] bool are_mongos() const;
  /// The connection string of the first server, without credentials.
  [[nodiscard]] std::string uri() const;

 private:
  struct target {
    std::vector<net::endpoint> upstream;
    std::optional<net::upstream_tls_options> tls;
    bool is_mongos = false;
  };
  struct variable {
    std::string name;
    config::proxied_uri uri;
    std::size_t target = 0;
  };

  [[nodiscard]] text::result<void> add(const std::string& name, const std::string& text);
  [[nodiscard]] std::size_t target_of(const config::proxied_uri& uri);
  [[nodiscard]] static text::result<void> probe(target& one);

  std::vector<target> targets_;
  std::vector<variable> variables_;
  bool is_one_upstream_ = false;  // all variables lead to the server that --upstream names
};

}  // namespace scattergate::app
