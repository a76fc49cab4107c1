#include "proxy/settings.hpp"

#include <utility>

namespace scattergate::proxy {
namespace {

listener_settings settings_of(const config::listener_options& listener) {
  listener_settings made;
  if (listener.tls) made.client_tls = net::tls_context::for_clients(*listener.tls);
  if (listener.upstream_tls) {
    made.upstream_tls = net::tls_context::for_upstream(*listener.upstream_tls);
    for (const auto& mongos : listener.upstream)
      made.upstream_tls->require_checkable(mongos.host);
  }
  made.proxy_protocol = listener.proxy_protocol;
  return made;
}

}  // namespace

bool settings::names(wire::namespace_view name_space) const noexcept {
  const auto* const listed = catalog->find(name_space.database, name_space.collection);
  return (listed != nullptr && listed->ns() == name_space) || rules.names(name_space);
}

std::shared_ptr<const settings> make_settings(const config::options& options,
                                              const config::loaded_catalog& catalog) {
  auto made = std::make_shared<settings>();
  made->catalog = catalog.value;
  auto rules = options.rules;
  rules.insert(rules.end(), catalog.rules.begin(), catalog.rules.end());
  made->rules = policy(std::move(rules), options.comments.accept);
  made->inspect = options.inspect;
  made->reject_uninspected = options.reject_uninspected;
  made->limits = options.limits;
  for (const auto& listener : options.listeners) {
    made->listeners.push_back(settings_of(listener));
  }
  made->admin = telemetry::admin_settings_of(options);
  return made;
}

}  // namespace scattergate::proxy
