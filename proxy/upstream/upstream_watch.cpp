#include "proxy/upstream/upstream_watch.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include <sys/eventfd.h>

#include "net/socket_address.hpp"
#include "proxy/upstream/upstream.hpp"
#include "proxy/upstream/upstream_address.hpp"
#include "telemetry/log/log.hpp"
#include "wire/header.hpp"
#include "wire/reply.hpp"
#include "wire/server_error.hpp"

namespace scattergate::proxy {
namespace {

using telemetry::upstream_failure;
using wire::limits::header_bytes;

/// The maximum number of checks per connection: half a minute's, at the default interval.
constexpr int checks_of_one = 15;

/// The maximum size of a reply, in bytes; no server's reply is larger.
constexpr std::int32_t most_reply_bytes = 1 << 20;

/// Whether a mongos that replies with this error can't reach the servers that it needs.
bool is_cut_off(std::int32_t code) noexcept {
  using enum wire::server_errc;
  switch (static_cast<wire::server_errc>(code)) {
    case host_unreachable:
    case host_not_found:
    case max_time_ms_expired:
    case network_timeout:
    case shutdown_in_progress:
    case failed_to_satisfy_read_preference:
    case network_interface_exceeded_time_limit:
    case exceeded_time_limit:
    case not_primary_no_secondary_ok:
    case interrupted_at_shutdown:
      return true;
    default:
      return false;
  }
}

namespace log = telemetry::log;

/// The time that a round of checks spends on addresses whose last check has failed, beside the
/// one in use. So many that hang don't delay the checks of the others.
constexpr std::chrono::seconds failing_time{2};

net::unique_fd stop_signal() {
  net::unique_fd made{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  if (!made) throw std::system_error(errno, std::generic_category(), "eventfd");
  return made;
}

}  // namespace

std::optional<silence> silence_of(const telemetry::listener_facts& listener,
                                  std::chrono::steady_clock::time_point now,
                                  std::chrono::milliseconds no_reply) noexcept {
  if (no_reply.count() == 0 || listener.silence_millis(now) < no_reply.count()) {
    return std::nullopt;
  }
  const std::uint64_t clients = listener.clients_waiting();
  return silence{clients > 1 && listener.served_at_millis() != 0};
}

std::optional<health_connection::failure> health_connection::check(const target& of,
                                                                   depth asked) {
  bool is_old = fits(of);
  if (!is_old || checks_ >= checks_of_one) {
    auto unopened = open(of);
    // The old connection serves if there is no descriptor for a new one.
    is_old = is_old && unopened && unopened->in == part::resources;
    if (unopened && !is_old) {
      connection_.reset();
      return unopened;
    }
  }
  if (is_old) connection_->set_deadline(clock::now() + timeout_);
  auto failed = greet();
  if (failed && is_old && failed->reason != upstream_failure::timeout) {
    // That the connection has closed says nothing about mongos. A new one shows whether it
    // serves.
    failed = open(of);
    if (!failed) failed = greet();
  }
  if (!failed && asked == depth::command) failed = command();
  if (failed) connection_.reset();
  return failed;
}

/// Whether connection_ leads to this mongos.
bool health_connection::fits(const target& of) const {
  return connection_ && at_ == of.address && tls_ == of.settings.upstream_tls &&
         has_proxy_header_ == of.settings.proxy_protocol;
}

/// Replaces connection_. Keeps the old one if this process is out of resources.
std::optional<health_connection::failure> health_connection::open(const target& of) {
  net::blocking_connection made{of.address, clock::now() + timeout_, stop_};
  if (!made.await_connected()) {
    const int error = errno;
    const bool is_ours = net::is_out_of_resources(error);
    return failure{failure_of(error), std::generic_category().message(error),
                   is_ours ? part::resources : part::hello};
  }
  connection_ = std::move(made);
  at_ = of.address;
  tls_ = of.settings.upstream_tls;
  has_proxy_header_ = of.settings.proxy_protocol;
  checks_ = 0;
  if (has_proxy_header_ && !connection_->write(net::local_proxy_header())) return unanswered();
  if (!tls_ || connection_->secure(tls_->connect_over(connection_->fd(), of.host))) return {};
  const std::string why = connection_->tls_failure();
  if (!why.empty()) return failure{upstream_failure::tls, "TLS: " + why};
  return failure{upstream_failure::timeout, "no answer to the TLS handshake" + in_time()};
}

std::optional<health_connection::failure> health_connection::greet() {
  ++checks_;
  wire::reply_facts ignored;
  ++last_;
  return answer_to(wire::build_hello(last_), last_, ignored);
}

/// Asks mongos for something that its config servers must answer.
std::optional<health_connection::failure> health_connection::command() {
  const auto refuse = [](upstream_failure reason, const std::string& why) {
    return failure{reason, "it answers a hello, but not a command: " + why, part::command};
  };
  connection_->set_deadline(clock::now() + timeout_);
  for (const auto build : {wire::build_shards_read, wire::build_user_lookup}) {
    wire::reply_facts facts;
    ++last_;
    if (const auto failed = answer_to(build(last_), last_, facts)) {
      return refuse(failed->reason, failed->why);
    }
    if (facts.ok) return {};
    if (is_cut_off(facts.code)) {
      return refuse(upstream_failure::other,
                    "error " + std::to_string(facts.code) + ", " +
                        std::string{wire::name_of(wire::server_errc{facts.code})});
    }
  }
  return {};  // an error that mongos finds by itself: nothing shows that it is cut off
}

/// Sends a message, and reads the reply's facts. `id`: the message's requestID.
std::optional<health_connection::failure> health_connection::answer_to(
    std::span<const std::byte> message, std::int32_t id, wire::reply_facts& facts) {
  std::array<std::byte, header_bytes> start{};
  // If writing fails because the server has closed, it may have sent a TLS alert with the
  // reason: read it.
  (void)connection_->write(message);
  if (!connection_->read(start)) return unanswered();
  const auto header = wire::parse_header(start);
  // An answer to an earlier message says nothing about mongos's health now.
  if (!header || header->response_to != id || header->length > most_reply_bytes) {
    return failure{upstream_failure::other, "it doesn't use MongoDB's wire protocol"};
  }
  wire::reply_scanner reply;
  reply.begin(*header);
  if (!scan(reply, static_cast<std::size_t>(header->length) - header_bytes)) {
    return unanswered();
  }
  facts = reply.facts();
  return {};
}

/// Reads and scans the rest of a reply.
bool health_connection::scan(wire::reply_scanner& reply, std::size_t bytes) {
  std::array<std::byte, 1024> room;
  while (bytes != 0) {
    const auto part = std::span{room}.first(std::min(bytes, room.size()));
    if (!connection_->read(part)) return false;
    reply.feed(part);
    bytes -= part.size();
  }
  return true;
}

health_connection::failure health_connection::unanswered() const {
  if (connection_->has_tls_alert()) {
    return {upstream_failure::tls, std::string{"TLS: "} + connection_->tls_failure()};
  }
  if (connection_->is_late()) return {upstream_failure::timeout, "no answer" + in_time()};
  const std::string closed = "it closed the connection without an answer";
  return {upstream_failure::closed,
          tls_ ? closed : closed + "; if it requires TLS, set upstream_tls"};
}

/// " within 2 seconds"
std::string health_connection::in_time() const {
  const auto whole = std::chrono::duration_cast<std::chrono::seconds>(timeout_);
  if (whole != timeout_) return " within " + std::to_string(timeout_.count()) + " ms";
  const std::string unit = whole.count() == 1 ? " second" : " seconds";
  return " within " + std::to_string(whole.count()) + unit;
}

upstream_watch::upstream_watch(upstream& watched, const config::failover_options& options,
                               settings_source settings)
    : upstream_(watched),
      options_(options),
      settings_(std::move(settings)),
      stop_(stop_signal()) {
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
    check_all();
    lock.lock();
    wake_.wait_for(lock, options_.check_interval, [this] { return is_stopped_; });
  }
}

void upstream_watch::check_all() {
  const auto in_use = upstream_.pinned();
  silence_ = silence_of(upstream_.facts(), clock::now(), options_.no_reply);
  const auto checked = check_addresses(in_use);
  check_names();
  forget_all_but(checked);
  judge(checked, in_use);
}

/// Checks the address in use, then the others that the listener may use. Returns all of them.
upstream_watch::addresses upstream_watch::check_addresses(const upstream_address_ptr& in_use) {
  std::set<upstream_address_ptr> done;
  clock::duration spent{};  // on addresses that have failed before
  // If all addresses of one IP version have failed, those of the other version are eligible.
  for (bool is_more = true;;) {
    auto all = eligible(upstream_.book().addresses(), clock::now());
    if (in_use && std::ranges::find(all, in_use) == all.end()) all.push_back(in_use);
    if (!std::exchange(is_more, false)) return all;
    for (const upstream_address_ptr& at : in_turns(all, in_use)) {
      if (is_stopped()) return all;
      if (!done.insert(at).second) continue;
      is_more = true;
      const bool has_failed = at != in_use && record_of(at).failures != 0;
      if (has_failed && spent >= failing_time) continue;
      const auto begin = clock::now();
      check(at);
      if (!has_failed) continue;
      spent += clock::now() - begin;
      last_failing_ = at;
    }
  }
}

/// The addresses in the order of a round: the one in use, those that passed their last check,
/// then the others, beginning after the one that was checked last.
upstream_watch::addresses upstream_watch::in_turns(addresses all,
                                                   const upstream_address_ptr& in_use) {
  const auto is_used = [&](const upstream_address_ptr& one) { return one == in_use; };
  const auto others = std::stable_partition(all.begin(), all.end(), is_used);
  const auto failing = std::stable_partition(
      others, all.end(),
      [&](const upstream_address_ptr& one) { return record_of(one).failures == 0; });
  const auto last = std::find(failing, all.end(), last_failing_);
  if (last != all.end()) std::rotate(failing, last + 1, all.end());
  return all;
}

upstream_watch::record& upstream_watch::record_of(const upstream_address_ptr& at) {
  return records_.try_emplace(at, stop_.get(), options_.check_timeout).first->second;
}

/// Checks an address, with a command if there is a reason, and records the result.
void upstream_watch::check(const upstream_address_ptr& at) {
  using enum telemetry::upstream_health;
  using depth = health_connection::depth;
  const bool is_tried = silence_ || at->health() == silent;
  record& of = record_of(at);
  const listener_settings settings = settings_();
  const auto failed = of.connection.check({at->address(), at->name().host, settings},
                                          is_tried ? depth::command : depth::hello);
  const bool is_ours = failed && failed->in == health_connection::part::resources;
  if (is_ours || is_stopped()) return;  // the check says nothing about mongos
  count(!failed);
  of.failures = failed ? of.failures + 1 : 0;
  of.passed = failed ? 0 : of.passed + 1;
  if (failed) {
    of.why_failed = failed->why;
    at->counts()->note(failed->reason);
    at->set_health(failed->in == health_connection::part::command ? silent : down, failed->why);
    upstream_.book().refresh(std::make_shared<net::endpoint>(at->name()));
  } else if (of.why_failed.empty() || of.passed >= options_.rise) {
    of.why_failed.clear();
    at->set_health(up, {});
    upstream_.rejoin(at);
  }
  if (!failed && settings.upstream_tls) upstream_.troubles().note_tls_success();
}

/// Counts a failed check for each name without an address.
void upstream_watch::check_names() {
  for (const auto& each : upstream_.book().unresolved()) {
    count(false);
    upstream_.troubles().note_check(each.name, each.why + waits());
  }
}

void upstream_watch::count(bool has_passed) {
  auto& facts = upstream_.facts();
  (has_passed ? facts.health_checks_passed : facts.health_checks_failed).fetch_add(1);
}

/// Forgets the addresses that are no longer checked, and ends their conditions.
void upstream_watch::forget_all_but(const addresses& checked) {
  std::erase_if(records_, [&checked](const auto& one) {
    return std::ranges::find(checked, one.first) == checked.end();
  });
  std::set<std::string> known;
  for (const auto& each : checked) known.insert(each->text());
  for (const auto& each : upstream_.book().unresolved()) known.insert(each.name);
  upstream_.troubles().keep_checks(known);
}

/// Raises and ends conditions by the results of a round, and leaves addresses that fail.
void upstream_watch::judge(const addresses& checked, const upstream_address_ptr& in_use) {
  bool is_served = false;
  bool must_stay = false;  // an address in use answers no hello, and no other is better
  for (const upstream_address_ptr& each : checked) {
    const record& of = record_of(each);
    note_state(each, of, in_use);
    if (in_use && each != in_use) continue;
    if (of.passed != 0) is_served = true;
    const bool is_used = in_use || upstream_.balances_connections();
    if (!is_used || of.failures < options_.fall) continue;
    const bool is_left = upstream_.leave(each, "it fails its health checks: " + of.why_failed);
    if (!is_left && each->health() == telemetry::upstream_health::down) must_stay = true;
  }
  if (is_served) return upstream_.troubles().note_reached();
  if (must_stay) upstream_.troubles().note_unreachable(why_all_failed(checked), 1);
}

/// Raises or ends the conditions of one address.
void upstream_watch::note_state(const upstream_address_ptr& at, const record& of,
                                const upstream_address_ptr& in_use) {
  const bool is_silent = at->health() == telemetry::upstream_health::silent;
  const bool is_stuck = of.passed != 0 && silence_ && silence_->is_proof && at == in_use;
  const std::string why = of.why_failed.empty() ? std::string{} : of.why_failed + waits();
  upstream_.troubles().note_check(at->text(), is_silent ? std::string{} : why);
  upstream_.troubles().note_silence(
      at->text(), is_silent  ? why
                  : is_stuck ? "no command has succeeded for " +
                                   std::to_string(options_.no_reply.count() / 1000) +
                                   " s, although it answers a read of config.shards" + waits()
                             : std::string{});
}

std::string upstream_watch::why_all_failed(const addresses& checked) {
  std::string all = "no upstream answers health checks";
  std::string_view separator = ": ";
  const auto add = [&](const std::string& name, const std::string& why) {
    all.append(separator).append(name).append(": ").append(why);
    separator = ", ";
  };
  for (const auto& each : checked) add(each->text(), record_of(each).why_failed);
  for (const auto& each : upstream_.book().unresolved()) add(each.name, each.why);
  return all;
}

/// Says how many clients wait for replies, to append to a failure; empty if none does.
std::string upstream_watch::waits() const {
  const std::uint64_t clients = upstream_.facts().clients_waiting();
  if (clients == 0) return {};
  const auto seconds = upstream_.facts().longest_wait_millis() / 1000;
  return "; " + std::to_string(clients) + (clients == 1 ? " client waits" : " clients wait") +
         " for a reply, for up to " + std::to_string(seconds) + " s";
}

bool upstream_watch::is_stopped() {
  const std::lock_guard lock(mutex_);
  return is_stopped_;
}

}  // namespace scattergate::proxy
