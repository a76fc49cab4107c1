#include "proxy/start_lines.hpp"

#include <unistd.h>

#include "telemetry/log/log.hpp"
#include "telemetry/metrics/build_info.hpp"

namespace scattergate::proxy {
namespace {

namespace log = telemetry::log;

bound_addresses addresses_of(const opened_sockets& opened) {
  bound_addresses bound{{}, opened.admin.all.bound, std::nullopt};
  for (const net::listener& each : opened.listeners) bound.listeners.push_back(each.bound);
  if (opened.admin.page) bound.page = opened.admin.page->bound;
  return bound;
}

std::string admin_url(const config::options& options, const net::endpoint& address) {
  const bool is_plain = options.admin_access.tls.cert_file.empty();
  return (is_plain ? "http://" : "https://") + to_string(address);
}

/// The URL of the page; "off" if it is off.
std::string page_url(const config::options& options, const bound_addresses& bound) {
  if (!options.admin_page) return "off";
  return admin_url(options, bound.page.value_or(bound.admin));
}

log::value or_none(const std::string& text) {
  if (text.empty()) return std::monostate{};
  return text;
}

}  // namespace

bound_addresses log_start(const config::options& options, const opened_sockets& opened,
                          const chosen_engine& engine) {
  bound_addresses bound = addresses_of(opened);
  std::vector<std::string> listeners;
  std::vector<std::string> upstreams;
  for (std::size_t i = 0; i < bound.listeners.size(); ++i) {
    listeners.push_back(to_string(bound.listeners[i]));
    upstreams.push_back(names_of(options.listeners[i].upstream));
  }
  log::write(log::severity::info, log::component::proxy, 1000, "scattergate is starting",
             {{"version", std::string{telemetry::this_build().version}},
              {"pid", static_cast<std::int64_t>(::getpid())},
              {"config", or_none(options.file.name)},
              {"listeners", std::move(listeners)},
              {"upstreams", std::move(upstreams)},
              {"admin", admin_url(options, bound.admin)},
              {"page", page_url(options, bound)},
              {"catalog", options.catalog.source},
              {"engine", std::string{engine.name()}},
              {"engineReason", engine.reason},
              {"audit", options.audit.file},
              {"state", or_none(options.state.file)}});
  return bound;
}

std::string ready_line(const config::options& options, const bound_addresses& bound) {
  std::string line = "scattergate ready: listening on";
  for (std::size_t i = 0; i < bound.listeners.size(); ++i) {
    line += " " + to_string(bound.listeners[i]) + " for mongos at " +
            names_of(options.listeners[i].upstream) + ",";
  }
  return line + " admin on " + admin_url(options, bound.admin);
}

std::string names_of(const std::vector<net::endpoint>& upstreams) {
  std::string names;
  for (const auto& name : upstreams) names += (names.empty() ? "" : " or ") + to_string(name);
  return names;
}

}  // namespace scattergate::proxy
