#include "telemetry/admin/admin_settings.hpp"

#include <stdexcept>

#include "telemetry/log/log.hpp"

namespace scattergate::telemetry {
namespace {

/// What `make` makes; where it throws, with the setting's name before it.
template <typename Make>
auto made_for(const std::string& setting, Make make) {
  try {
    return make();
  } catch (const std::runtime_error& unusable) {
    throw std::runtime_error(setting + ": " + unusable.what());
  }
}

std::shared_ptr<const net::tls_context> tls_of(const net::client_tls_options& files) {
  if (files.cert_file.empty()) return nullptr;
  return made_for("admin.tls", [&] { return net::tls_context::for_clients(files); });
}

std::string token_of(const std::string& file) {
  if (file.empty()) return {};
  std::string warning;
  std::string token = made_for("admin.token_file", [&] { return read_token(file, warning); });
  if (!warning.empty()) {
    log::write(log::severity::warning, log::component::admin, 8002,
               "The admin token is no secret", {{"why", warning}});
  }
  return token;
}

}  // namespace

admin_settings admin_settings_of(const config::options& from) {
  const config::admin_access_options& access = from.admin_access;
  return {.page = from.admin_page,
          .room = answer_room{from.limits.memory_bytes},
          .tls = tls_of(access.tls),
          .token = token_of(access.token_file),
          .hosts = access.hosts,
          .grafana_link = access.grafana_link};
}

admin_access access_of(const net::socket_address& local, const net::endpoint& bound,
                       const admin_settings& with) {
  return admin_access{{.bound_host = bound.host,
                       .is_loopback = net::is_loopback(local),
                       .is_secured = with.tls != nullptr,
                       .hosts = with.hosts,
                       .token = with.token}};
}

}  // namespace scattergate::telemetry
