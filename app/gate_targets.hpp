#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/driver/proxied_uri.hpp"
#include "config/options/options.hpp"
#include "text/problem.hpp"

namespace scattergate::app {

/// Where the commands of a gate's COMMAND go: one listener for each upstream that its variables
/// name, and what the variables say instead.
class gate_targets {
 public:
  /// Reads the variables of the environment, or `upstream` alone. Asks the DNS.
  [[nodiscard]] text::result<void> read(const std::vector<std::string>& variables,
                                        const std::optional<std::string>& upstream);

  /// Asks each upstream what it is. A problem where one can't stand behind a gate.
  [[nodiscard]] text::result<void> ask();

  /// For the proxy: each on a free port of loopback.
  [[nodiscard]] std::vector<config::listener_options> listeners() const;

  /// What COMMAND's environment has, once the listeners have their ports, in the same order.
  [[nodiscard]] std::map<std::string, std::string> environment(
      const std::vector<net::endpoint>& bound) const;

  /// Whether all lead to mongos, so that the catalog may be the cluster's own.
  [[nodiscard]] bool are_mongos() const;
  /// The connection string of the first upstream, without credentials.
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
  [[nodiscard]] static text::result<void> ask(target& one);

  std::vector<target> targets_;
  std::vector<variable> variables_;
  bool is_one_upstream_ = false;  // all variables lead to the one that a flag names
};

}  // namespace scattergate::app
