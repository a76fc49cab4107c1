#include "proxy/upstream/upstream_watch.hpp"

#include <array>
#include <cerrno>
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

using telemetry::upstream_failure;

/// For one probe, from connecting to the answer's header; and for a name server's answer.
constexpr std::chrono::seconds probe_time{2};

/// Failed probes in a row after which the mongos in use is left.
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
      well_at_(watched.names().size()),
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
  while (!is_stopped_) {
    lock.unlock();
    probe_all();
    lock.lock();
    wake_.wait_for(lock, interval_, [this] { return is_stopped_; });
  }
}

void upstream_watch::probe_all() {
  const auto used = upstream_.pinned();
  if (used != last_used_) failures_ = 0;
  last_used_ = used;
  for (std::size_t name = 0; name < upstream_.names().size() && !is_stopped(); ++name) {
    const bool is_well = probe(name);
    if (is_stopped() || (used && used->name != name)) continue;
    if (is_well) upstream_.troubles().note_reached();
    if (used) failures_ = is_well ? 0 : failures_ + 1;
  }
  if (used && failures_ >= tolerated_failures && !is_stopped()) leave(*used);
}

/// Goes over to the first that answered, in the order of the names.
void upstream_watch::leave(const upstream::target& failing) {
  for (const auto& other : well_at_) {
    if (!other || other->name == failing.name) continue;
    upstream_.go_over(failing, *other, "it doesn't answer health checks");
    failures_ = 0;
    return;
  }
  upstream_.troubles().note_unreachable("no upstream answers health checks", 1);
}

/// Probes one of the names, and tells the outcome.
bool upstream_watch::probe(std::size_t name) {
  upstream::target at{{}, name};
  const auto failed = probe(name, at);
  if (is_stopped()) return false;  // which says nothing of the mongos
  well_at_[name] = failed ? std::nullopt : std::optional{at};
  auto& facts = upstream_.facts();
  (failed ? facts.health_checks_failed : facts.health_checks_passed).fetch_add(1);
  telemetry::upstream_facts& of = facts.upstreams[name];
  if (failed) of.note(failed->reason);
  of.health = failed ? telemetry::upstream_health::down : telemetry::upstream_health::up;
  upstream_.suspect(name, failed.has_value());
  upstream_.troubles().note_check(name, failed ? failed->why + waits() : std::string{});
  return !failed;
}

/// The clients that wait meanwhile.
std::string upstream_watch::waits() const {
  const std::uint64_t clients = upstream_.facts().clients_waiting();
  if (clients == 0) return {};
  const auto seconds = upstream_.facts().longest_wait_millis() / 1000;
  return "; " + std::to_string(clients) + (clients == 1 ? " client waits" : " clients wait") +
         " for a reply, for up to " + std::to_string(seconds) + " s";
}

/// At the address in use, else at each of the name's addresses until one answers.
std::optional<upstream_watch::failure> upstream_watch::probe(std::size_t name,
                                                             upstream::target& at) {
  if (const auto used = upstream_.pinned(); used && used->name == name) {
    at = *used;
    return probe_at(at);
  }
  const auto found = addresses_of(upstream_.names()[name]);
  if (!found) return failure{upstream_failure::dns, "the name server doesn't answer"};
  if (!*found) {
    return failure{upstream_failure::dns,
                   "the name can't be resolved: " + found->error().message()};
  }
  std::optional<failure> failed;
  for (const auto& address : **found) {
    at.address = address;
    failed = probe_at(at);
    if (!failed) break;
  }
  return failed;
}

/// Nothing where the name server doesn't answer in time, or this is to stop.
std::optional<upstream_watch::addresses> upstream_watch::addresses_of(
    const net::endpoint& name) {
  std::optional<name_lookup::answer> answer;  // under mutex_
  const name_lookup asked{name, [&](name_lookup::answer found) {
                            const std::lock_guard lock(mutex_);
                            answer = std::move(found);
                            wake_.notify_all();
                          }};
  std::unique_lock lock(mutex_);
  wake_.wait_for(lock, probe_time, [&] { return answer || is_stopped_; });
  return answer;
}

bool upstream_watch::is_stopped() {
  const std::lock_guard lock(mutex_);
  return is_stopped_;
}

std::optional<upstream_watch::failure> upstream_watch::probe_at(
    const upstream::target& target) {
  const listener_settings settings = settings_();
  const auto deadline = net::patient_connection::clock::now() + probe_time;
  net::patient_connection connection{target.address, deadline, stop_.get()};
  if (!connection.is_connected()) {
    const int error = errno;
    return failure{failure_of(error), std::generic_category().message(error)};
  }
  // Where it isn't the time that has run out, the mongos has closed.
  const auto unanswered = [&]() -> failure {
    if (net::patient_connection::clock::now() < deadline) {
      return {upstream_failure::closed, "it closed the connection instead of an answer"};
    }
    return {upstream_failure::timeout, "no answer within 2 seconds"};
  };
  if (settings.proxy_protocol && !connection.write(net::local_proxy_header())) {
    return unanswered();
  }
  if (settings.upstream_tls && !connection.secure(settings.upstream_tls->connect_over(
                                   connection.fd(), upstream_.names()[target.name].host))) {
    const std::string why = connection.tls_failure();
    if (why.empty()) return unanswered();
    return failure{upstream_failure::tls, "TLS: " + why};
  }
  if (settings.upstream_tls) upstream_.troubles().note_tls_success();
  std::array<std::byte, header_bytes> header{};
  if (!connection.write(wire::build_hello(1)) || !connection.read(header)) return unanswered();
  if (wire::parse_header(header)) return std::nullopt;
  return failure{upstream_failure::other, "it doesn't speak MongoDB's wire protocol"};
}

}  // namespace scattergate::proxy
