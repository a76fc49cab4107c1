#include "proxy/upstream/upstream.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <unistd.h>

#include "net/failing_memory.hpp"
#include "net/socket_address.hpp"
#include "proxy/upstream/upstream_address.hpp"
#include "telemetry/log/log.hpp"

namespace scattergate::proxy {
namespace {

namespace asio = boost::asio;
namespace log = telemetry::log;
using boost::system::error_code;
using config::upstream_choice;
using telemetry::upstream_health;

constexpr auto use_tuple = asio::as_tuple(asio::deferred);

/// The time limit for connecting to one address, and for name servers. Then a search goes on.
constexpr std::chrono::seconds address_time{2};

/// A text that differs for each host and listener, and is stable over restarts.
std::string chooser_of(const std::string& listener) {
  std::array<char, 256> host{};
  static_cast<void>(::gethostname(host.data(), host.size() - 1));
  return std::string{host.data()} + " " + listener;
}

// In optimised builds g++ 12 warns wrongly about an inlined coroutine frame: it believes that
// Asio's operator delete doesn't match its allocation.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

// Coroutines store their results through references instead of returning them: g++ 12 destroys
// some temporaries of a co_await expression twice, and closing a descriptor twice closes
// someone else's.

asio::awaitable<void> connect_to(const net::socket_address& address, upstream::found& into,
                                 error_code& why) {
  const auto executor = co_await asio::this_coro::executor;
  net::unique_fd begun = net::begin_connect(address);
  const int refused = begun ? 0 : errno;
  if (begun) {
    const auto socket = std::make_shared<asio::posix::stream_descriptor>(executor, begun.get());
    asio::steady_timer limit{executor, address_time};
    limit.async_wait([socket](const error_code& error) {
      error_code ignored;
      if (!error) socket->cancel(ignored);
    });
    const auto [late] =
        co_await socket->async_wait(asio::posix::stream_descriptor::wait_write, use_tuple);
    socket->release();
    why =
        late ? error_code{asio::error::timed_out}
             : error_code{net::connect_result(begun.get()), asio::error::get_system_category()};
  } else {
    why = error_code{refused, asio::error::get_system_category()};
  }
  into.is_out_of_resources = net::is_out_of_resources(why.value());
  if (!why) into.socket = std::move(begun);
}

/// Counts why an address can't be reached, and appends the reason to the text `to`.
void note_failure(const upstream_address& at, const error_code& why, std::string& to) {
  at.counts()->note(failure_of(why.value()));
  if (!to.empty()) to += "; ";
  to += at.text() + ": " + why.message();
}

/// Waits until the name servers have answered, or for two seconds. `is_first`: waits only for
/// names without a known address.
asio::awaitable<void> await_names(upstream& of, bool is_first) {
  const auto executor = co_await asio::this_coro::executor;
  const auto alarm = std::make_shared<asio::steady_timer>(executor, address_time);
  of.on_names([alarm] { alarm->cancel(); });
  const auto until = alarm->expiry();
  while (of.book().is_waiting(is_first) && upstream::clock::now() < until) {
    alarm->expires_at(until);
    co_await alarm->async_wait(use_tuple);
  }
  of.on_names({});
  of.book().give_up_waiting(is_first);
}

/// Connects to `at`, and pins it. If another address was pinned meanwhile, connects to that
/// one.
asio::awaitable<void> try_address(upstream& of, const upstream_address_ptr& at,
                                  upstream::found& result) {
  error_code error;
  co_await connect_to(at->address(), result, error);
  if (result.is_out_of_resources) co_return;
  if (!result.socket) {
    at->note_failed_connection(upstream::clock::now());
    note_failure(*at, error, result.why);
    co_return;
  }
  result.to = of.pin(at, result.why);
  if (result.to == at) co_return;
  result.socket.reset();
  co_await connect_to(result.to->address(), result, error);
  if (!result.socket && !result.is_out_of_resources) {
    note_failure(*result.to, error, result.why);
  }
}

/// Tries all addresses that are not in `tried`, and adds them to it.
asio::awaitable<void> try_all(upstream& of, std::vector<upstream_address_ptr>& tried,
                              upstream::found& result) {
  const auto all = of.candidates();
  for (const upstream_address_ptr& at : all) {
    if (std::ranges::find(tried, at) != tried.end()) continue;
    tried.push_back(at);
    co_await try_address(of, at, result);
    if (result.socket || result.is_out_of_resources) co_return;
  }
}

/// Tries the address in use, then all known addresses, then those that the name servers name
/// now.
asio::awaitable<void> search(upstream& of, std::shared_ptr<upstream::found> result) {
  std::vector<upstream_address_ptr> tried;
  if (const auto used = of.choose()) {
    tried.push_back(used);
    co_await try_address(of, used, *result);
    if (result->socket || result->is_out_of_resources) co_return;
    of.unpin(used);
  }
  of.book().refresh();
  co_await await_names(of, true);
  co_await try_all(of, tried, *result);
  if (result->socket || result->is_out_of_resources) co_return;
  co_await await_names(of, false);
  co_await try_all(of, tried, *result);
  if (result->socket || result->is_out_of_resources) co_return;
  for (const auto& each : of.book().unresolved()) {
    result->why += (result->why.empty() ? "" : "; ") + each.name + ": " + each.why;
  }
}

#pragma GCC diagnostic pop

}  // namespace

telemetry::upstream_failure failure_of(int error) noexcept {
  using enum telemetry::upstream_failure;
  return error == ECONNREFUSED ? refused : error == ETIMEDOUT ? timeout : other;
}

upstream_settings upstream_settings_of(const config::options& from, std::size_t listener) {
  const config::listener_options& of = from.listeners[listener];
  return {of.upstream, of.choice, from.failover.return_after, from.drain_grace};
}

upstream::upstream(upstream_settings settings, boost::asio::io_context& control,
                   telemetry::listener_facts& facts, telemetry::condition_board* conditions)
    : control_(control),
      facts_(facts),
      troubles_(settings.names, facts.address, control, conditions),
      book_(chooser_of(facts.address), control, facts, [this] { on_names_changed(); }),
      settings_(std::move(settings)) {
  book_.use_names(settings_.names);
}

upstream::~upstream() = default;

void upstream::apply_settings(upstream_settings settings) {
  const bool had_balanced = balances();
  troubles_.use_names(settings.names);
  {
    const std::lock_guard lock(mutex_);
    settings_ = settings;
    if (balances()) pinned_ = nullptr;
  }
  book_.use_names(settings.names);
  preferred_ = nullptr;
  if (had_balanced && !balances()) {
    // From now on, all connections use one address. The next search chooses it.
    for (const auto& each : book_.addresses()) start_drain(each, clock::now());
  }
  on_names_changed();
}

bool upstream::balances() const noexcept {
  return settings_.choice == upstream_choice::connections;
}

bool upstream::balances_connections() const {
  const std::lock_guard lock(mutex_);
  return balances();
}

upstream_address_ptr upstream::pinned() const {
  const std::lock_guard lock(mutex_);
  return pinned_;
}

int upstream::family() const {
  {
    const std::lock_guard lock(mutex_);
    if (last_pinned_) return last_pinned_->address().family();
  }
  const auto all = book_.addresses();
  return all.empty() ? AF_INET : all.front()->address().family();
}

upstream_address_ptr upstream::choose() const {
  {
    const std::lock_guard lock(mutex_);
    if (!balances()) return pinned_;
  }
  const auto now = clock::now();
  const auto all = in_order(book_.addresses(), upstream_choice::connections, now);
  return all.empty() || all.front()->is_suspect(now) ? nullptr : all.front();
}

std::vector<upstream_address_ptr> upstream::candidates() const {
  upstream_choice choice{};
  {
    const std::lock_guard lock(mutex_);
    choice = settings_.choice;
  }
  return in_order(book_.addresses(), choice, clock::now());
}

upstream_address_ptr upstream::pin(const upstream_address_ptr& candidate,
                                   std::string_view why) {
  std::unique_lock lock(mutex_);
  if (balances()) return candidate;
  if (pinned_) return pinned_;
  const auto before = last_pinned_;
  const std::string from = switch_to(candidate, change::failover, why);
  lock.unlock();
  log_change(change::failover, from, candidate->text(), why_left(before, why));
  return candidate;
}

bool upstream::leave(const upstream_address_ptr& failing, std::string_view why) {
  const auto other = sound_other(failing);
  if (!other) return false;
  std::unique_lock lock(mutex_);
  if (balances()) {
    failing->set_standing(standing::closed);
  } else if (!pinned_ || pinned_ == failing) {
    const std::string from = switch_to(other, change::failover, why);
    lock.unlock();
    troubles_.note_reached();
    log_change(change::failover, from, other->text(), why);
  }
  return true;
}

void upstream::rejoin(const upstream_address_ptr& passing) {
  const std::lock_guard lock(mutex_);
  if (!balances() || passing->is_gone()) return;
  if (passing->standing() == standing::closed) passing->set_standing(standing::open);
}

/// Pins an address, and says what happens to the connections to the one before. Returns the
/// latter, or the one that was expected at the start, for the log; empty if it is the same.
/// REQUIRES: mutex_ is held.
std::string upstream::switch_to(const upstream_address_ptr& chosen, change because,
                                std::string_view why) {
  const auto before = last_pinned_;
  if (pinned_) pinned_->facts()->is_active = false;
  pinned_ = last_pinned_ = chosen;
  chosen->set_standing(standing::open);
  chosen->facts()->is_active = true;
  if (before && before != chosen) {
    before->set_standing(because == change::failover ? standing::closed : standing::draining);
    if (because == change::failover) facts_.failovers.fetch_add(1);
  }
  if (before) return before == chosen ? std::string{} : before->text();
  const std::string expected = first_choice();
  const bool is_expected =
      why.empty() || expected == chosen->text() || expected == to_string(chosen->name());
  return is_expected ? std::string{} : expected;
}

/// The name, for the log, that a listener would use at its start if all was well.
/// REQUIRES: mutex_ is held.
std::string upstream::first_choice() const {
  if (settings_.choice == upstream_choice::listed) return to_string(settings_.names.front());
  const auto all = eligible(book_.addresses(), clock::now());
  const auto best = std::ranges::max_element(all, {}, &upstream_address::preference);
  return best == all.end() ? to_string(settings_.names.front()) : (*best)->text();
}

void upstream::log_change(change because, const std::string& from, const std::string& to,
                          std::string_view why) const {
  if (from.empty()) return;
  if (because == change::failover) {
    log::write(
        log::severity::warning, log::component::proxy, 1011,
        "Switched from a failed mongos to another; connections to the failed one are closed",
        {{"from", from}, {"to", to}, {"why", std::string{why}}});
  } else {
    log::write(
        log::severity::info, log::component::proxy, 1022,
        "Moved to another mongos; connections to the previous one end when they are idle",
        {{"from", from}, {"to", to}, {"why", std::string{why}}});
  }
}

void upstream::note_timeout(std::chrono::seconds waited) {
  asio::post(control_, [this, waited] {
    if (choose() || is_one_well()) return;
    troubles_.note_unreachable(
        "no connection within " + std::to_string(waited.count()) + " seconds", 1);
  });
}

/// Why a search has left the address `before`; null: none. `why`: what the search couldn't
/// reach. A search that found another mongos first hasn't tried one whose health check failed.
std::string upstream::why_left(const upstream_address_ptr& before, std::string_view why) {
  const std::string failing = before ? before->why_failing() : std::string{};
  const std::string shown = before ? before->text() + ": " : std::string{};
  if (failing.empty() || why.find(shown) != why.npos) return std::string{why};
  return shown + failing + (why.empty() ? "" : "; ") + std::string{why};
}

/// Whether a mongos has passed its last health check.
bool upstream::is_one_well() const {
  return std::ranges::any_of(
      book_.addresses(), [](const auto& one) { return one->health() == upstream_health::up; });
}

void upstream::unpin(const upstream_address_ptr& unreachable) {
  const std::lock_guard lock(mutex_);
  if (balances()) return unreachable->note_failed_connection(clock::now());
  if (pinned_ != unreachable) return;
  pinned_->facts()->is_active = false;
  pinned_ = nullptr;
}

/// The first other address, in the order of the choice, that has passed its last health check;
/// null if there is none.
upstream_address_ptr upstream::sound_other(const upstream_address_ptr& than) const {
  const auto all = candidates();
  const auto found = std::ranges::find_if(all, [&than](const auto& one) {
    return one != than && one->health() == upstream_health::up;
  });
  return found == all.end() ? nullptr : *found;
}

void upstream::on_names_changed() {
  if (on_names_) on_names_();
  const auto now = clock::now();
  if (balances()) {
    for (const auto& each : book_.leaving()) {
      if (each->standing() == standing::open) start_drain(each, now);
    }
    for (const auto& each : book_.addresses()) {
      if (each->standing() == standing::draining) each->set_standing(standing::open);
    }
  }
  show_active(now);
}

void upstream::tick(clock::time_point now) {
  book_.tick(now, pinned());
  end_drains(now);
  move_from_gone(now);
  consider_return(now);
  show_active(now);
}

void upstream::start_drain(const upstream_address_ptr& from, clock::time_point now) {
  from->set_standing(standing::draining);
  drains_.push_back({from, now + settings_.drain_grace});
}

void upstream::end_drains(clock::time_point now) {
  std::erase_if(drains_, [now](const drain& one) {
    if (one.from->standing() != standing::draining) return true;
    if (now < one.ends_at) return false;
    one.from->set_standing(standing::closed);
    return true;
  });
}

/// Moves from a pinned address that the name server or the configuration no longer names to a
/// sound one: once no client has an open cursor, or after the grace time.
void upstream::move_from_gone(clock::time_point now) {
  const auto used = pinned();
  if (!used || !used->is_gone()) return gone_at_.reset();
  if (!gone_at_) gone_at_ = now;
  if (facts_.open_cursors() != 0 && now - *gone_at_ < settings_.drain_grace) return;
  auto other = sound_other(used);
  // Without health checks, none is known to be sound.
  if (!other && used->health() == upstream_health::unknown) {
    const auto all = candidates();
    if (!all.empty() && !all.front()->is_suspect(now)) other = all.front();
  }
  if (other) move(used, other, "it is no longer an address of an upstream", now);
}

/// Returns to the address that this listener prefers, if that has been well for long enough,
/// and no client has an open cursor, which would be lost.
void upstream::consider_return(clock::time_point now) {
  const auto used = pinned();
  const bool returns = settings_.choice == upstream_choice::spread &&
                       settings_.return_after.count() != 0 && used && !used->is_gone();
  const auto all = eligible(book_.addresses(), now);
  const auto best = std::ranges::max_element(all, {}, &upstream_address::preference);
  if (!returns || best == all.end() || *best == used ||
      (*best)->health() != upstream_health::up) {
    preferred_ = nullptr;
    return;
  }
  if (preferred_ != *best) {
    preferred_ = *best;
    return_at_ =
        now + return_delay(chooser_of(facts_.address), ++returns_, settings_.return_after);
  }
  if (now < return_at_ || facts_.open_cursors() != 0) return;
  move(used, preferred_, "it is the one that this listener prefers", now);
}

/// Pins `to` if `from` is pinned; the connections to `from` drain.
void upstream::move(const upstream_address_ptr& from, const upstream_address_ptr& to,
                    std::string_view why, clock::time_point now) {
  {
    const std::lock_guard lock(mutex_);
    if (pinned_ != from) return;
    static_cast<void>(switch_to(to, change::planned, why));
  }
  start_drain(from, now);
  log_change(change::planned, from->text(), to->text(), why);
}

/// Shows which addresses new connections may use.
void upstream::show_active(clock::time_point now) {
  if (!balances()) return;
  for (const auto& each : book_.addresses()) {
    each->facts()->is_active = each->standing() == standing::open && !each->is_suspect(now);
  }
  for (const auto& each : book_.leaving()) each->facts()->is_active = false;
}

void upstream::connect(found_handler on_found) {
  asio::post(control_, [this, on_found = std::move(on_found)]() mutable {
    waiting_.push_back(std::move(on_found));
    if (waiting_.size() > 1) return;
    const bool has_begun = net::done_unless_memory_fails([this] {
      const auto result = std::make_shared<found>();
      asio::co_spawn(
          control_, search(*this, result),
          [this, result](const std::exception_ptr&) { deliver(std::move(*result)); });
    });
    if (!has_begun) waiting_.clear();  // the sessions' connect timeout ends their wait
  });
}

void upstream::deliver(found result) {
  auto waiting = std::exchange(waiting_, {});
  if (!result.socket && !result.is_out_of_resources) {
    troubles_.note_unreachable(result.why, waiting.size());
  }
  const found_handler first = std::move(waiting.front());
  waiting.erase(waiting.begin());
  for (found_handler& on_found : waiting) {
    if (result.socket) {
      const auto other = choose();
      follow(other ? other : result.to, std::move(on_found));
    } else {
      on_found({{}, nullptr, result.is_out_of_resources, {}});
    }
  }
  first(std::move(result));
}

void upstream::follow(const upstream_address_ptr& to, found_handler on_found) {
  const auto result = std::make_shared<found>();
  result->to = to;
  const auto ignored = std::make_shared<error_code>();  // the next search reports the error
  asio::co_spawn(control_, connect_to(result->to->address(), *result, *ignored),
                 [on_found = std::move(on_found), result, ignored](const std::exception_ptr&) {
                   on_found(std::move(*result));
                 });
}

}  // namespace scattergate::proxy
