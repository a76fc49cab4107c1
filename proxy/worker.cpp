#include "proxy/worker.hpp"

#include <algorithm>
#include <atomic>
#include <new>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "net/failing_memory.hpp"
#include "net/network.hpp"
#include "telemetry/log/log.hpp"
#include "text/time_text.hpp"

namespace scattergate::proxy {
namespace {

/// The interval at which counts and findings are handed over to the account.
constexpr std::chrono::seconds shapes_interval{1};

text::day today() {
  return text::day_of(std::chrono::system_clock::now());
}

/// The id of a new connection, unique among all workers.
std::uint64_t next_connection_id() noexcept {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

/// The interval at which sessions' time limits are checked, and paused acceptors resume.
constexpr std::chrono::milliseconds housekeeping_interval{200};

/// A worker keeps an accepted connection unless it has over 1/8 more connections than the
/// worker with the fewest.
constexpr std::size_t tolerated_excess = 8;

/// Clients that have waited less than this for a reply aren't counted as waiting.
constexpr std::chrono::seconds shown_wait{1};

}  // namespace

worker::worker(std::string name, const worker_dependencies& parts, net::engine_kind engine)
    : name_(std::move(name)),
      parts_(parts),
      metrics_(parts.metrics.add_worker()),
      shapes_(parts.max_shapes, parts.memory, parts.strangers),
      inspector_({metrics_, shapes_, parts.account, parts.metrics.facts(), parts.taps, meter_,
                  *this, parts.sketches}),
      faults_(parts.report_faults),
      loop_(meter_, engine),
      long_work_(name_ + "-long") {}

worker::~worker() {
  stop();
  join();
}

void worker::add_listener(net::unique_fd listening, listener from,
                          std::vector<worker*> takers) {
  auto accepted = [this, from, takers = std::move(takers)](accepted_client client) {
    worker& taker = taker_among(takers);
    if (&taker == this) {
      adopt(std::move(client), from);
    } else {
      metrics_.connections_handed_over.add();
      taker.hand_over(std::move(client), from);
    }
  };
  auto reserve = [mongos = from.mongos] { return net::new_socket(mongos->family()); };
  acceptors_.push_back(std::make_unique<acceptor>(std::move(listening), loop_, metrics_,
                                                  std::move(reserve), std::move(accepted)));
}

void worker::start(std::shared_ptr<const settings> settings) {
  settings_ = settings;
  inspector_.apply_settings(std::move(settings));
  inspector_.set_day(today());
  loop_.every(shapes_interval, [this] {
    inspector_.set_day(today());
    (void)flush_all();
    if (const auto held = inspector_.take_refused_section()) {
      faults_.note(telemetry::condition_kind::unknown_sections, held->peer,
                   "by rule '" + held->rule + "'");
    }
    faults_.flush();
    inspector_.evict_quiet(loop_.now());
  });
  loop_.every(housekeeping_interval, [this] { do_housekeeping(); });
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error& failure) {
    throw std::runtime_error("cannot start " + name_ + ": " + failure.code().message());
  }
}

void worker::accept() {
  loop_.post([this] {
    for (const auto& opened : acceptors_) opened->start();
  });
}

void worker::run() {
  telemetry::log::set_thread_name(name_);
  loop_.run();
}

void worker::apply_settings(std::shared_ptr<const settings> settings,
                            std::function<void()> on_used) {
  loop_.post([this, settings = std::move(settings), on_used = std::move(on_used)] {
    settings_ = settings;
    inspector_.apply_settings(settings);
    on_used();
  });
}

void worker::note_catalog_read(std::uint64_t number) {
  loop_.post([this, number] {
    inspector_.hints().note_read(number);
    if (!held_.empty()) check_held();
  });
}

/// The worker for a new connection: the one with the fewest, or this one if it has hardly more,
/// because a handover wakes another thread.
worker& worker::taker_among(const std::vector<worker*>& takers) noexcept {
  worker& idlest = **std::ranges::min_element(takers, {}, &worker::connections);
  const std::size_t fewest = idlest.connections();
  return connections() > fewest + fewest / tolerated_excess ? idlest : *this;
}

/// Takes over a connection that another worker has accepted. Runs on that worker's thread.
/// Counts the connection at once, so that a burst of connections is distributed evenly.
void worker::hand_over(accepted_client client, const listener& from) {
  connections_.fetch_add(1, std::memory_order_relaxed);
  const bool is_posted = net::done_unless_memory_fails([&] {
    auto handed = std::make_shared<accepted_client>(std::move(client));
    loop_.post([this, handed = std::move(handed), from] {
      connections_.fetch_sub(1, std::memory_order_relaxed);  // open_session() counts it
      adopt(std::move(*handed), from);
    });
  });
  if (!is_posted) connections_.fetch_sub(1, std::memory_order_relaxed);
}

void worker::adopt(accepted_client client, const listener& from) {
  metrics_.connections_accepted.add();
  const bool is_done =
      net::done_unless_memory_fails([&] { open_session(std::move(client), from); });
  if (!is_done) metrics_.count_closed(telemetry::close_reason::no_memory);
}

void worker::open_session(accepted_client client, const listener& from) {
  const net::socket_address peer = net::peer_of(client.socket.get());
  if (peer.size() == 0) return metrics_.count_closed(telemetry::close_reason::client_error);
  const std::string host = net::host_of(peer);
  const bool is_local = peer.family() == AF_UNIX;
  auto user = is_local ? std::make_unique<const std::string>(net::peer_key(client.socket.get()))
                       : nullptr;
  const std::string counted_as = user ? *user : host;
  make_room_for(sessions_.size() + 1);
  if (!parts_.connections.admit(counted_as, settings_->limits)) {
    return refuse(counted_as);
  }
  const std::uint64_t id = next_connection_id();
  std::shared_ptr<session> opened;
  try {
    opened = std::make_shared<session>(
        session::origin{id,
                        std::move(client.socket),
                        host,
                        std::move(user),
                        *from.mongos,
                        {settings_, &settings_->listeners[from.index]},
                        std::move(client.reserved)},
        static_cast<session_host&>(*this));
    sessions_.emplace(id, opened);
  } catch (const std::bad_alloc&) {
    parts_.connections.leave(counted_as);
    throw;
  }
  metrics_.connections_open.add();
  connections_.fetch_add(1, std::memory_order_relaxed);
  opened->start();
}

/// Refuses a connection that exceeds a limit.
void worker::refuse(const std::string& counted_as) {
  using enum telemetry::condition_kind;
  metrics_.count_closed(telemetry::close_reason::limit);
  const config::limit_options& limits = settings_->limits;
  const bool are_all_taken = parts_.connections.total() >= limits.connections;
  const std::size_t most = are_all_taken ? limits.connections : limits.connections_per_address;
  note_fault(
      are_all_taken ? clients_refused : limit_reached,
      are_all_taken ? "limits.connections" : "limits.connections_per_address, " + counted_as,
      std::to_string(most) + " are open; further ones are refused");
}

void worker::note_failed_accepts() {
  const std::uint64_t failed = metrics_.accept_failures.get();
  if (failed == std::exchange(failed_accepts_, failed)) return;
  note_fault(telemetry::condition_kind::clients_refused, "file descriptors",
             "out of file descriptors or memory; new clients wait");
}

/// Reserves the memory that is needed to close sessions, or to iterate over all of them:
/// neither may allocate.
void worker::make_room_for(std::size_t sessions) {
  loop_.make_room_for(sessions);
  if (sessions > all_sessions_.capacity()) {
    all_sessions_.reserve(std::max(2 * all_sessions_.capacity(), sessions));
  }
}

void worker::find_upstream(session& asking) {
  asking.mongos().connect([this, id = asking.id()](upstream::found found) {
    loop_.post([this, id, result = std::make_shared<upstream::found>(std::move(found))] {
      const auto waiting = sessions_.find(id);
      if (waiting != sessions_.end()) waiting->second->on_found(std::move(*result));
    });
  });
}

void worker::do_long_work(session& asking) {
  ask_for_turn(sessions_.at(asking.id()));
  do_next_piece();
}

void worker::ask_for_turn(std::shared_ptr<session> asking) {
  const long_work_ticket& ticket = asking->ticket();
  const bool is_strangers = asking->is_strangers();
  with_long_work_.push(std::move(asking), ticket, is_strangers);
}

void worker::do_next_piece() {
  while (!at_work_ && !with_long_work_.is_empty()) {
    at_work_ = with_long_work_.pop();
    const bool is_begun = net::done_unless_memory_fails([this] {
      long_work_.advance(at_work_->awaited(), [this](bool is_over) {
        loop_.post([this, is_over] { on_piece_done(is_over); });
      });
    });
    if (is_begun) return;
    std::exchange(at_work_, nullptr)->close(telemetry::close_reason::no_memory);
  }
}

void worker::on_piece_done(bool is_over) {
  const auto done = std::exchange(at_work_, nullptr);
  with_long_work_.end_turn(done->ticket(), long_work_.took());
  if (is_over) {
    done->on_awaited();
  } else if (sessions_.contains(done->id())) {
    const bool has_asked = net::done_unless_memory_fails([&] { ask_for_turn(done); });
    if (!has_asked) done->close(telemetry::close_reason::no_memory);
  }
  do_next_piece();
}

void worker::hold(session& asking) {
  held_.push_back(sessions_.at(asking.id()));
  if (const auto due = asking.held_until(loop_.now())) return check_held_at(*due);
  wake();
}

void worker::wake() noexcept {
  if (is_woken_.exchange(true)) return;
  const bool is_posted =
      net::done_unless_memory_fails([this] { loop_.post([this] { check_held(); }); });
  if (!is_posted) is_woken_ = false;  // do_housekeeping() calls check_held(), too
}

/// Continues sessions whose wait has ended: for a throttle (admitted, displaced or timed out),
/// or for the live catalog.
void worker::check_held() {
  is_woken_ = false;
  const clock::time_point now = clock::now();
  std::optional<clock::time_point> next;
  std::vector<std::shared_ptr<session>> over;
  std::erase_if(held_, [&](const std::shared_ptr<session>& each) {
    const auto due = each->held_until(now);
    if (!due)
      over.push_back(each);
    else if (!next || *due < *next)
      next = due;
    return !due;
  });
  if (next) check_held_at(*next);
  for (const auto& each : over) each->on_held();
}

void worker::check_held_at(clock::time_point due) {
  if (next_check_ && *next_check_ <= due && *next_check_ > loop_.now()) return;
  next_check_ = due;
  loop_.once(due, [this] { check_held(); });
}

void worker::pause_accepting() {
  for (const auto& opened : acceptors_) opened->pause();
}

void worker::on_closed(session& closed) {
  metrics_.connections_open.sub();
  connections_.fetch_sub(1, std::memory_order_relaxed);
  parts_.connections.leave(closed.counted_as());
  std::erase_if(held_, [&](const auto& waiting) { return waiting.get() == &closed; });
  with_long_work_.erase_if([&](const auto& waiting) { return waiting.get() == &closed; });
  note_success(closed);
  const auto found = sessions_.find(closed.id());
  loop_.retire(std::move(found->second));
  sessions_.erase(found);
  if (is_draining_ && sessions_.empty()) post_end();
}

void worker::post_end() noexcept {
  // If memory runs out, do_housekeeping() calls end_if_drained().
  net::done_unless_memory_fails([this] { loop_.post([this] { end_if_drained(); }); });
}

void worker::do_housekeeping() {
  if (is_draining_) end_if_drained();
  if (!held_.empty()) check_held();
  for (const auto& opened : acceptors_) opened->resume();
  note_failed_accepts();
  if (!unchecked_.empty()) return;  // the previous round isn't complete
  for (const auto& [id, session] : sessions_) unchecked_.push_back(id);
  check_sessions();
}

/// Checks the round's remaining sessions, as many as this turn's work limit allows: thousands
/// may have to be closed for the same reason.
void worker::check_sessions() {
  while (!unchecked_.empty() && !loop_.meter().is_turn_over()) {
    const auto next = sessions_.find(unchecked_.back());
    unchecked_.pop_back();
    if (next == sessions_.end()) continue;
    note_wait(*next->second);
    note_success(*next->second);
    next->second->check(loop_.now(), settings_->limits);
  }
  if (!unchecked_.empty()) return loop_.post([this] { check_sessions(); });
  publish_waits();
}

void worker::show_waits(upstream& mongos) {
  waits_.push_back({&mongos, &mongos.facts().waits.emplace_back()});
}

void worker::note_wait(session& of) {
  const auto since = of.awaits_reply_since();
  const bool is_waiting = since && loop_.now() - *since >= shown_wait;
  const bool has_cursor = of.has_open_cursor(loop_.now());
  if (!is_waiting && !has_cursor) return;
  const auto found = std::ranges::find(waits_, &of.mongos(), &waits::mongos);
  if (found == waits_.end()) return;
  if (has_cursor) ++found->open_cursors;
  if (!is_waiting) return;
  ++found->clients;
  found->longest = std::max(found->longest, loop_.now() - *since);
}

/// Notes whether a command of the session has succeeded since the last call.
void worker::note_success(session& of) noexcept {
  if (!of.take_success()) return;
  const auto found = std::ranges::find(waits_, &of.mongos(), &waits::mongos);
  if (found != waits_.end()) found->has_served = true;
}

void worker::publish_waits() {
  const auto now =
      std::chrono::duration_cast<std::chrono::milliseconds>(loop_.now().time_since_epoch());
  for (waits& each : waits_) {
    if (!inspector_.is_on()) {
      each.shown->served_at_millis = 0;
    } else if (each.has_served || each.shown->served_at_millis == 0) {
      each.shown->served_at_millis = now.count();
    }
    each.has_served = false;
    each.shown->clients = each.clients;
    each.shown->longest_millis =
        std::chrono::duration_cast<std::chrono::milliseconds>(each.longest).count();
    each.shown->open_cursors = each.open_cursors;
    each.clients = 0;
    each.open_cursors = 0;
    each.longest = {};
  }
}

template <typename Action>
void worker::for_each_session(Action action) {
  // A copy, because closing sessions changes sessions_. Closed sessions live until the end of
  // this turn.
  all_sessions_.clear();
  for (const auto& [id, session] : sessions_) all_sessions_.push_back(session.get());
  for (session* each : all_sessions_) action(*each);
}

/// Hands over counts and sketched values to the account. Returns whether all counts were handed
/// over.
bool worker::flush_all() {
  const bool is_all = inspector_.accounting().flush_shapes();
  inspector_.flush_sketches();
  return is_all;
}

void worker::flush_counts(std::function<void(bool)> on_flushed) {
  {
    const std::lock_guard lock{flush_mutex_};
    if (!has_drained_) on_flushed_.push_back(std::exchange(on_flushed, nullptr));
  }
  if (on_flushed) return on_flushed(true);
  loop_.post([this] { call_flushed(flush_all()); });
}

void worker::call_flushed(bool is_all) {
  std::vector<std::function<void(bool)>> waiting;
  {
    const std::lock_guard lock{flush_mutex_};
    waiting.swap(on_flushed_);
  }
  for (const auto& each : waiting) each(is_all);
}

void worker::stop_accepting(std::function<void()> on_stopped) {
  loop_.post([this, on_stopped = std::move(on_stopped)] {
    for (const auto& opened : acceptors_) opened->stop();
    on_stopped();
  });
}

void worker::drain(drain_mode mode, std::function<void()> on_drained) {
  loop_.post([this, mode, on_drained = std::move(on_drained)] {
    is_draining_ = true;
    on_drained_ = on_drained;
    for_each_session([mode](session& s) { s.drain(mode); });
    end_if_drained();
  });
}

void worker::end_if_drained() {
  if (!sessions_.empty() || !on_drained_) return;
  inspector_.accounting().flush_last_shapes();
  inspector_.flush_sketches();
  {
    const std::lock_guard lock{flush_mutex_};
    has_drained_ = true;
  }
  call_flushed(true);
  loop_.stop();  // at the end of this turn
  std::exchange(on_drained_, nullptr)();
}

void worker::close_all() {
  loop_.post([this] {
    for_each_session([](session& s) { s.close(telemetry::close_reason::drained); });
  });
}

void worker::stop() {
  loop_.stop();
}

void worker::join() {
  if (thread_.joinable()) thread_.join();
}

}  // namespace scattergate::proxy
