#include "app/gate/gate_targets.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "config/driver/mongo_client.hpp"
#include "config/driver/proxied_uri.hpp"

namespace scattergate::app {
namespace {

using config::listener_options;

std::string names_of(const std::vector<net::endpoint>& all) {
  std::string names;
  for (const net::endpoint& one : all) names += (names.empty() ? "" : ", ") + to_string(one);
  return names;
}

/// Whether `text` can be the name of an environment variable. If it can't, it may be a
/// connection string with a password, from `--env "$MONGODB_URI"`.
bool is_variable_name(std::string_view text) {
  return !text.empty() && text.find_first_not_of(
                              "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                              "abcdefghijklmnopqrstuvwxyz0123456789_.-") == text.npos;
}

/// Whether a gate can use the server, which must accept writes.
bool is_of_use(const config::mongo_server& server) {
  return server.is_mongos || server.type == "Standalone" || server.type == "RSPrimary";
}

}  // namespace

text::result<void> gate_targets::read(const std::vector<std::string>& variables,
                                      const std::optional<std::string>& upstream) {
  if (upstream) {
    is_one_upstream_ = true;
    const std::string text =
        config::is_mongo_uri(*upstream) ? *upstream : "mongodb://" + *upstream;
    const auto parts = config::parse_uri(text);
    if (!parts) return text::problem{"--upstream", to_string(parts.error())};
    const auto made = config::prepare_uri(*parts, text::failure("pass its hosts"));
    if (!made) return text::problem{"--upstream", to_string(made.error())};
    targets_.push_back({made->upstream, made->tls});
  }
  for (const std::string& name : variables) {
    if (!is_variable_name(name)) {
      return text::failure(
          "--env: expected the name of a variable, such as MONGODB_URI, not its value");
    }
    const char* const value = std::getenv(name.c_str());
    if (value == nullptr || *value == '\0') {
      if (upstream) continue;
      const std::string what =
          value == nullptr ? "there is no such variable" : "the variable is empty";
      return text::problem{"--env " + name, what + ", and no --upstream"};
    }
    if (const auto added = add(name, value); !added) {
      return text::problem{name, to_string(added.error())};
    }
  }
  if (!targets_.empty()) return {};
  return text::failure("pass --upstream or --env to say where the server is");
}

text::result<void> gate_targets::add(const std::string& name, const std::string& text) {
  const auto parts = config::parse_uri(text);
  if (!parts) return parts.error();
  text::result<config::srv_answer> srv;
  if (parts->is_srv()) {
    srv =
        config::look_up_srv(parts->hosts, parts->option("srvServiceName").value_or("mongodb"));
  }
  const auto uri = config::prepare_uri(*parts, srv);
  if (!uri) return uri.error();
  variables_.push_back({name, *uri, target_of(*uri)});
  return {};
}

std::size_t gate_targets::target_of(const config::proxied_uri& uri) {
  if (is_one_upstream_) {
    // The hosts come from the flag; the variable still decides whether TLS is used.
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

text::result<void> gate_targets::probe(std::chrono::seconds patience, bool needs_mongos) {
  for (target& one : targets_) {
    const bool is_needed = needs_mongos || one.upstream.size() > 1;
    if (auto asked = probe(one, patience, is_needed); !asked) return asked;
  }
  return {};
}

text::result<void> gate_targets::probe_absent() const {
  for (target one : targets_) {
    if (!one.is_absent) continue;
    const probed asked = probe(one);
    if (!asked.is_usable) return text::problem{names_of(one.upstream), asked.why};
  }
  return {};
}

text::result<void> gate_targets::probe(target& one, std::chrono::seconds patience,
                                       bool is_needed) {
  constexpr std::chrono::milliseconds pause{200};
  const auto until = std::chrono::steady_clock::now() + patience;
  for (;;) {
    const probed asked = probe(one);
    if (asked.is_usable) return {};
    if (!asked.has_answered && !is_needed) {
      one.is_absent = true;
      return {};
    }
    if (std::chrono::steady_clock::now() + pause > until) {
      return text::problem{
          names_of(one.upstream),
          asked.why + " (waited " + std::to_string(patience.count()) + " s: --wait)"};
    }
    std::this_thread::sleep_for(pause);
  }
}

/// Asks the target's servers in turn until one can be used. If that is a mongos, keeps all
/// addresses, for failover; otherwise keeps its address only.
gate_targets::probed gate_targets::probe(target& one) {
  config::proxied_uri uri;
  uri.tls = one.tls;
  probed made;
  for (const net::endpoint& address : one.upstream) {
    auto client = config::mongo_client::open(uri.asking(address), {"scattergate-gate"});
    if (!client) return {false, true, client.error().text};
    const auto server = (*client)->connect();
    if (!server) {
      made.why = server.error().text;
    } else if (is_of_use(*server)) {
      one.is_mongos = server->is_mongos;
      if (!one.is_mongos) one.upstream = {net::endpoint{address}};
      return {true, true, {}};
    } else {
      made.has_answered = true;
      made.why = "it is " + server->type +
                 ", which is neither a mongos, a standalone mongod nor a primary";
    }
  }
  return made;
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
