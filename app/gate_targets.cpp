#include "app/gate_targets.hpp"

#include <algorithm>
#include <cstdlib>

#include "config/driver/mongo_client.hpp"
#include "config/driver/srv_lookup.hpp"

namespace scattergate::app {
namespace {

using config::listener_options;

std::string names_of(const std::vector<net::endpoint>& all) {
  std::string names;
  for (const net::endpoint& one : all) names += (names.empty() ? "" : ", ") + to_string(one);
  return names;
}

/// What a server is that can stand behind a gate: one that takes writes.
bool is_of_use(const config::mongo_server& server) {
  return server.is_mongos || server.type == "Standalone" || server.type == "RSPrimary";
}

}  // namespace

std::string gate_targets::read(const std::vector<std::string>& variables,
                               const std::optional<std::string>& upstream) {
  if (upstream) {
    is_one_upstream_ = true;
    const std::string text =
        config::is_mongo_uri(*upstream) ? *upstream : "mongodb://" + *upstream;
    config::parsed_uri parsed = config::parse_uri(text);
    if (!parsed.error.empty()) return "--upstream: " + parsed.error;
    const auto made = config::prepare_uri(std::move(parsed.parts), {{}, {}, "give its hosts"});
    if (!made.refused.empty()) return "--upstream: " + made.refused;
    targets_.push_back({made.upstream, made.tls});
  }
  for (const std::string& name : variables) {
    const char* const value = std::getenv(name.c_str());
    if (value == nullptr || *value == '\0') {
      if (upstream) continue;
      return "--env " + name +
             (value == nullptr ? ": there is no such variable" : ": the variable is empty") +
             ", and no --upstream";
    }
    if (const std::string wrong = add(name, value); !wrong.empty()) return name + ": " + wrong;
  }
  return targets_.empty() ? "neither --upstream nor --env says where the server is" : "";
}

std::string gate_targets::add(const std::string& name, const std::string& text) {
  config::parsed_uri parsed = config::parse_uri(text);
  if (!parsed.error.empty()) return parsed.error;
  config::srv_answer srv;
  if (parsed.parts.is_srv()) {
    const auto service = parsed.parts.option("srvServiceName").value_or("mongodb");
    srv = config::look_up_srv(parsed.parts.hosts, service);
  }
  variable made{name, config::prepare_uri(std::move(parsed.parts), srv)};
  if (!made.uri.refused.empty()) return made.uri.refused;
  made.target = target_of(made.uri);
  variables_.push_back(std::move(made));
  return {};
}

std::size_t gate_targets::target_of(const config::proxied_uri& uri) {
  if (is_one_upstream_) {
    // The hosts are another's; how they are secured is still said by who connects.
    if (uri.tls && !targets_.front().tls) targets_.front().tls = uri.tls;
    return 0;
  }
  const auto known = std::ranges::find_if(targets_, [&](const target& one) {
    return one.upstream == uri.upstream && one.tls == uri.tls;
  });
  const auto number = static_cast<std::size_t>(known - targets_.begin());
  if (known == targets_.end()) targets_.push_back({uri.upstream, uri.tls});
  return number;
}

std::string gate_targets::ask() {
  for (target& one : targets_) {
    if (const std::string wrong = ask(one); !wrong.empty()) return wrong;
  }
  return {};
}

/// All of several mongos stay, for failover; of a replica set's members the one that takes
/// writes.
std::string gate_targets::ask(target& one) {
  config::proxied_uri uri;
  uri.tls = one.tls;
  std::string why;
  for (const net::endpoint& address : one.upstream) {
    auto client = config::mongo_client::open(uri.asking(address), "scattergate-gate");
    if (!client) return client.error().text;
    const auto server = (*client)->connect();
    if (!server) {
      why = server.error().text;
    } else if (is_of_use(*server)) {
      one.is_mongos = server->is_mongos;
      if (!one.is_mongos) one.upstream = {net::endpoint{address}};
      return {};
    } else {
      why = "it is " + server->type + ", and neither mongos, a standalone mongod nor a primary";
    }
  }
  return names_of(one.upstream) + ": " + why;
}

std::vector<listener_options> gate_targets::listeners() const {
  std::vector<listener_options> made;
  for (const target& one : targets_) {
    listener_options& listener = made.emplace_back();
    listener.listen.port = 0;
    listener.upstream = one.upstream;
    listener.upstream_tls = one.tls;
  }
  return made;
}

std::map<std::string, std::string> gate_targets::environment(
    const std::vector<net::endpoint>& bound) const {
  std::map<std::string, std::string> made;
  for (const variable& one : variables_) {
    made[one.name] = one.uri.through(bound[one.target], !targets_[one.target].is_mongos);
  }
  const std::string plain = config::proxied_uri{}.through(bound[0], !targets_[0].is_mongos);
  made["SCATTERGATE_URI"] = variables_.empty() ? plain : made[variables_.front().name];
  return made;
}

bool gate_targets::are_mongos() const {
  return std::ranges::all_of(targets_, &target::is_mongos);
}

std::string gate_targets::uri() const {
  config::proxied_uri uri;
  uri.tls = targets_.front().tls;
  return uri.asking(targets_.front().upstream.front());
}

}  // namespace scattergate::app
