#include "proxy/upstream/upstream_watch.hpp"

#include <array>
#include <cerrno>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include <sys/eventfd.h>

#include "net/patient_connection.hpp"
#include "net/proxy_header.hpp"
#include "proxy/upstream/name_lookup.hpp"
#include "telemetry/log/log.hpp"
#include "wire/header.hpp"
#include "wire/hello.hpp"

namespace scattergate::proxy {
namespace {

namespace log = telemetry::log;
using wire::limits::header_bytes;

/// For one health check, from connecting to the answer's header.
constexpr std::chrono::seconds check_time{2};

/// Failures in a row after which the mongos in use is left.
constexpr int tolerated_failures = 2;

net::unique_fd stop_signal() {
  net::unique_fd made{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  if (!made) throw std::system_error(errno, std::generic_category(), "eventfd");
  return made;
}

}  // namespace

upstream_watch::upstream_watch(upstream& watched, std::chrono::milliseconds interval,
                               settings_source settings)
    : upstream_(watched),
      interval_(interval),
      settings_(std::move(settings)),
      stop_(stop_signal()),
      thread_([this] { run(); }) {}

upstream_watch::~upstream_watch() {
  {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
  }
  wake_.notify_all();
  ::eventfd_write(stop_.get(), 1);
  thread_.join();
}

void upstream_watch::run() {
  log::set_thread_name("health");
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, interval_, [this] { return is_stopped_; })) {
    lock.unlock();
    check();
    lock.lock();
  }
}

void upstream_watch::check() {
  const auto target = upstream_.pinned();
  if (!target) return;  // nobody is connected, or everybody is looking for one already
  if (is_well(*target)) {
    failures_ = 0;
    upstream_.troubles().note_reached();
  } else if (++failures_ >= tolerated_failures) {
    fail_over(*target);
  }
}

void upstream_watch::fail_over(const upstream::target& from) {
  upstream_.suspect(from.name, true);
  for (std::size_t i = 0; i < upstream_.names().size(); ++i) {
    if (i == from.name) continue;
    for (const auto& address : addresses_of(upstream_.names()[i])) {
      const upstream::target to{address, i};
      if (!is_well(to)) continue;
      upstream_.go_over(from, to, "it doesn't answer health checks");
      failures_ = 0;
      return;
    }
  }
  if (is_stopped()) return;
  upstream_.troubles().note_unreachable("no upstream answers health checks", 1);
}

/// None where the name server hasn't answered by the time that we are to stop.
std::vector<net::socket_address> upstream_watch::addresses_of(const net::endpoint& name) {
  std::optional<name_lookup::answer> addresses;  // under mutex_
  const name_lookup asked{name, [&](name_lookup::answer found) {
                            const std::lock_guard lock(mutex_);
                            addresses = std::move(found);
                            wake_.notify_all();
                          }};
  std::unique_lock lock(mutex_);
  wake_.wait(lock, [&] { return addresses || is_stopped_; });
  if (!addresses || !*addresses) return {};
  return std::move(**addresses);
}

bool upstream_watch::is_stopped() {
  const std::lock_guard lock(mutex_);
  return is_stopped_;
}

bool upstream_watch::is_well(const upstream::target& target) {
  const listener_settings settings = settings_();
  net::patient_connection connection{
      target.address, net::patient_connection::clock::now() + check_time, stop_.get()};
  const auto answers = [&] {
    if (!connection.is_connected()) return false;
    if (settings.proxy_protocol && !connection.write(net::local_proxy_header())) return false;
    if (settings.upstream_tls && !connection.secure(settings.upstream_tls->connect_over(
                                     connection.fd(), upstream_.names()[target.name].host))) {
      return false;
    }
    std::array<std::byte, header_bytes> header{};
    return connection.write(wire::build_hello(1)) && connection.read(header) &&
           wire::parse_header(header).has_value();
  };
  const bool is_well = answers();
  if (is_stopped()) return false;  // which says nothing of the mongos
  auto& facts = upstream_.facts();
  (is_well ? facts.health_checks_passed : facts.health_checks_failed).fetch_add(1);
  upstream_.suspect(target.name, !is_well);
  return is_well;
}

}  // namespace scattergate::proxy
