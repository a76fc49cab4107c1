#include "proxy/driver_watch.hpp"

#include "telemetry/log/log.hpp"

namespace scattergate::proxy {
namespace {

namespace log = telemetry::log;
using telemetry::condition_kind::driver_failing;

void log_message(bool is_error, std::string_view message) {
  // A warning at most: if a failure matters, the driver also returns it as an error.
  log::write(is_error ? log::severity::warning : log::severity::debug, log::component::catalog,
             7005, "MongoDB driver message", {{"message", std::string{message}}});
}

}  // namespace

driver_watch::driver_watch(telemetry::condition_board& conditions, counts& restarts) {
  config::driver_events events;
  events.on_message = log_message;
  events.on_failure = [&conditions, &restarts](const std::string& application,
                                               config::driver_end how, const std::string& why) {
    restarts[static_cast<std::size_t>(how)].fetch_add(1);
    conditions.raise(driver_failing, application, std::string{config::label(how)} + ": " + why);
  };
  events.on_recovery = [&conditions](const std::string& application) {
    conditions.clear(driver_failing, application);
  };
  config::set_driver_events(std::move(events));
}

driver_watch::~driver_watch() {
  config::set_driver_events({});
}

}  // namespace scattergate::proxy
