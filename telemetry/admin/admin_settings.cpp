#include "telemetry/admin/admin_settings.hpp"

#include <utility>

#include "config/text/input.hpp"
#include "telemetry/log/log.hpp"

namespace scattergate::telemetry {
namespace {

void warn_of_exposure(const std::string& token_file) {
  const auto exposed = config::secret_exposed(token_file);
  if (!exposed) return;
  log::write(log::severity::warning, log::component::admin, 8002,
             "The admin token isn't secret; every user of this host can read it",
             {{"why", text::to_string(*exposed)}});
}

}  // namespace

text::result<admin_settings> admin_settings_of(const config::options& from) {
  const config::admin_access_options& access = from.admin_access;
  admin_settings made{.page = from.admin_page,
                      .room = answer_room{from.limits.memory_bytes},
                      .tls = nullptr,
                      .token = {},
                      .hosts = access.hosts,
                      .grafana_link = access.grafana_link};
  if (!access.tls.cert_file.empty()) {
    auto tls = net::tls_context::for_clients(access.tls);
    if (!tls) return text::problem{"admin.tls", text::to_string(tls.error())};
    made.tls = *std::move(tls);
  }
  if (!access.token_file.empty()) {
    auto token = read_token(access.token_file);
    if (!token) return text::problem{"admin.token_file", text::to_string(token.error())};
    made.token = *std::move(token);
    warn_of_exposure(access.token_file);
  }
  return made;
}

admin_access access_of(const net::socket_address& local, const net::endpoint& bound,
                       const admin_settings& settings) {
  return admin_access{{.bound_host = bound.host,
                       .is_loopback = net::is_loopback(local),
                       .is_secured = settings.tls != nullptr,
                       .hosts = settings.hosts,
                       .token = settings.token}};
}

}  // namespace scattergate::telemetry
