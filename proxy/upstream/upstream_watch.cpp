#include "proxy/upstream/upstream_watch.hpp"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>

#include <sys/eventfd.h>

#include "proxy/upstream/name_lookup.hpp"
#include "telemetry/log/log.hpp"

namespace scattergate::proxy {
namespace {

namespace log = telemetry::log;
using telemetry::upstream_failure;

/// The time limit for a name server's answer.
constexpr std::chrono::seconds name_time{2};

net::unique_fd stop_signal() {
  net::unique_fd made{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  if (!made) throw std::system_error(errno, std::generic_category(), "eventfd");
  return made;
}

std::vector<health_connection> one_for_each(std::size_t names, int stop,
                                            std::chrono::milliseconds timeout) {
  std::vector<health_connection> made;
  for (std::size_t i = 0; i < names; ++i) made.emplace_back(stop, timeout);
  return made;
}

}  // namespace

upstream_watch::upstream_watch(upstream& watched, const config::failover_options& options,
                               settings_source settings)
    : upstream_(watched),
      options_(options),
      settings_(std::move(settings)),
      well_at_(watched.names().size()),
      why_failed_(watched.names().size()),
      passed_(watched.names().size()),
      stop_(stop_signal()),
      connections_(one_for_each(watched.names().size(), stop_.get(), options.check_timeout)) {
  watched.troubles().rely_on_checks();
  watched.facts().has_checks = true;
  thread_ = std::thread{[this] { run(); }};
}

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
    wake_.wait_for(lock, options_.check_interval, [this] { return is_stopped_; });
  }
}

void upstream_watch::probe_all() {
  const auto used = upstream_.pinned();
  if (used != last_used_) failures_ = 0;
  last_used_ = used;
  silence_ = silence_of(upstream_.facts(), std::chrono::steady_clock::now(), options_.no_reply);
  for (std::size_t name = 0; name < upstream_.names().size() && !is_stopped(); ++name) {
    const auto is_well = probe(name);
    if (!is_well || (used && used->name != name)) continue;
    if (*is_well) upstream_.troubles().note_reached();
    if (used) failures_ = *is_well ? 0 : failures_ + 1;
  }
  if (used && failures_ >= options_.fall && !is_stopped()) leave(*used);
}

/// Switches from `failing` to the first name whose last check passed. If there is none, and
/// `failing` doesn't even answer a hello, reports this as a problem.
void upstream_watch::leave(const upstream::target& failing) {
  for (const auto& other : well_at_) {
    if (!other || other->name == failing.name) continue;
    upstream_.fail_over(failing, *other,
                        "it fails its health checks: " + why_failed_[failing.name]);
    failures_ = 0;
    return;
  }
  if (upstream_.facts().upstreams[failing.name].health == telemetry::upstream_health::silent) {
    return;
  }
  std::string why = "no upstream answers health checks";
  for (std::size_t name = 0; name < why_failed_.size(); ++name) {
    why += (name == 0 ? ": " : ", ") + to_string(upstream_.names()[name]) + ": " +
           why_failed_[name];
  }
  upstream_.troubles().note_unreachable(std::move(why), 1);
}

/// Checks one of the names and records the result. Returns whether the check passed;
/// std::nullopt if it says nothing about mongos.
std::optional<bool> upstream_watch::probe(std::size_t name) {
  upstream::target at{{}, name};
  const auto failed = probe(name, at);
  const bool is_ours = failed && failed->in == health_connection::part::resources;
  if (is_ours || is_stopped()) return std::nullopt;
  passed_[name] = failed ? 0 : passed_[name] + 1;
  if (failed) upstream_.facts().upstreams[name].note(failed->reason);
  auto& facts = upstream_.facts();
  (failed ? facts.health_checks_failed : facts.health_checks_passed).fetch_add(1);
  const bool is_well = !failed && (why_failed_[name].empty() || passed_[name] >= options_.rise);
  well_at_[name] = is_well ? std::optional{at} : std::nullopt;
  if (failed || is_well) record(name, failed);
  return !failed;
}

/// Shows the state of a name that has failed a check, or is well.
void upstream_watch::record(std::size_t name, const std::optional<failure>& failed) {
  using telemetry::upstream_health;
  const bool is_silent = failed && failed->in == health_connection::part::command;
  why_failed_[name] = failed ? failed->why : std::string{};
  upstream_.facts().upstreams[name].health = is_silent ? upstream_health::silent
                                             : failed  ? upstream_health::down
                                                       : upstream_health::up;
  upstream_.suspect(name, why_failed_[name]);
  upstream_.troubles().note_check(name, failed && !is_silent ? failed->why + waits() : "");
  const auto used = upstream_.pinned();
  const bool is_stuck = !failed && silence_ && silence_->is_proof && used && used->name == name;
  upstream_.troubles().note_silence(
      name, is_silent  ? failed->why + waits()
            : is_stuck ? "no command has succeeded for " +
                             std::to_string(options_.no_reply.count() / 1000) +
                             " s, although it answers a read of config.shards" + waits()
                       : std::string{});
}

/// Says how many clients wait for replies, to append to a failure; empty if none does.
std::string upstream_watch::waits() const {
  const std::uint64_t clients = upstream_.facts().clients_waiting();
  if (clients == 0) return {};
  const auto seconds = upstream_.facts().longest_wait_millis() / 1000;
  return "; " + std::to_string(clients) + (clients == 1 ? " client waits" : " clients wait") +
         " for a reply, for up to " + std::to_string(seconds) + " s";
}

/// Checks a name, with a command if there is a reason: the pinned target, if that is one of the
/// name's addresses; otherwise each of the name's addresses until one answers. Starts with the
/// one that answered last, because its connection is still open. Stores the checked address in
/// `at`.
std::optional<upstream_watch::failure> upstream_watch::probe(std::size_t name,
                                                             upstream::target& at) {
  using enum health_connection::depth;
  const bool is_tried = silence_ || upstream_.facts().upstreams[name].health ==
                                        telemetry::upstream_health::silent;
  const auto check = [&](const net::socket_address& address) {
    at.address = address;
    const listener_settings settings = settings_();
    auto failed = connections_[name].check({address, upstream_.names()[name].host, settings},
                                           is_tried ? command : hello);
    if (!failed && settings.upstream_tls) upstream_.troubles().note_tls_success();
    return failed;
  };
  if (const auto used = upstream_.pinned(); used && used->name == name) {
    return check(used->address);
  }
  auto found = addresses_of(upstream_.names()[name]);
  if (!found) return failure{upstream_failure::dns, "the name server doesn't answer"};
  if (!*found) {
    return failure{upstream_failure::dns,
                   "the name can't be resolved: " + found->error().message()};
  }
  if (const auto& last = well_at_[name]) {
    std::stable_partition((*found)->begin(), (*found)->end(),
                          [&](const net::socket_address& one) { return one == last->address; });
  }
  std::optional<failure> failed;
  for (const auto& address : **found) {
    failed = check(address);
    if (!failed) break;
  }
  return failed;
}

/// Resolves a name. std::nullopt if the name server doesn't answer in time, or this object is
/// being destroyed.
std::optional<upstream_watch::addresses> upstream_watch::addresses_of(
    const net::endpoint& name) {
  std::optional<name_lookup::answer> answer;  // guarded by mutex_
  const name_lookup asked{name, [&](name_lookup::answer found) {
                            const std::lock_guard lock(mutex_);
                            answer = std::move(found);
                            wake_.notify_all();
                          }};
  std::unique_lock lock(mutex_);
  wake_.wait_for(lock, name_time, [&] { return answer || is_stopped_; });
  return answer;
}

bool upstream_watch::is_stopped() {
  const std::lock_guard lock(mutex_);
  return is_stopped_;
}

}  // namespace scattergate::proxy
