#include "proxy/settings.hpp"

#include <chrono>
#include <cstdint>
#include <utility>

#include "config/options/rule_match.hpp"
#include "text/time_text.hpp"

namespace scattergate::proxy {
namespace {

text::result<listener_settings> settings_of(const config::listener_options& listener) {
  listener_settings made;
  if (listener.tls) {
    auto tls = net::tls_context::for_clients(*listener.tls);
    if (!tls) return tls.error();
    made.client_tls = *std::move(tls);
  }
  if (listener.upstream_tls) {
    auto tls = net::tls_context::for_upstream(*listener.upstream_tls);
    if (!tls) return tls.error();
    for (const auto& mongos : listener.upstream) {
      if (const auto checked = (*tls)->check_name(mongos.host); !checked) {
        return checked.error();
      }
    }
    made.upstream_tls = *std::move(tls);
  }
  made.proxy_protocol = listener.proxy_protocol;
  return made;
}

}  // namespace

bool settings::names(wire::namespace_view name_space) const noexcept {
  if (limits.trust_clients) return true;
  const auto* const listed = catalog->find(name_space.database, name_space.collection);
  return (listed != nullptr && listed->ns() == name_space) || rules.names(name_space);
}

std::string settings::catalog_caveat(const config::rule& decides) const {
  if (!catalog_facts || !catalog_facts->is_stale || !config::asks_catalog(decides.match)) {
    return {};
  }
  return "; scattergate's catalog is out of date (" + read_at_text(*catalog_facts) + ")";
}

std::string read_at_text(const config::catalog_facts& of) {
  const std::int64_t at = of.succeeded_at;
  if (at == 0) return "never read";
  using seconds = std::chrono::seconds;
  return "last read " + text::time_text(std::chrono::system_clock::time_point{seconds{at}});
}

text::result<std::shared_ptr<const settings>> make_settings(
    const config::options& options, const config::loaded_catalog& catalog) {
  auto made = std::make_shared<settings>();
  made->catalog = catalog.value;
  auto rules = options.rules;
  rules.insert(rules.end(), catalog.rules.begin(), catalog.rules.end());
  made->rules = policy(std::move(rules), options.comments.accept);
  made->waits_for_catalog = options.waits_for_catalog;
  made->inspect = options.inspect;
  made->reject_uninspected = options.reject_uninspected;
  made->limits = options.limits;
  for (const auto& listener : options.listeners) {
    auto one = settings_of(listener);
    if (!one) return one.error();
    made->listeners.push_back(*std::move(one));
  }
  auto admin = telemetry::admin_settings_of(options);
  if (!admin) return admin.error();
  made->admin = *std::move(admin);
  return std::shared_ptr<const settings>{std::move(made)};
}

}  // namespace scattergate::proxy
