#include "proxy/session/session.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "net/failing_memory.hpp"
#include "net/socket_address.hpp"
#include "wire/error.hpp"

// Implements the part of session that sets it up: setup_sockets, and the outcomes of
// session_setup.

// Implements the part of session that reports faults to the condition board when it ends.

namespace scattergate::proxy {
namespace {

using status = net::io_result::status;
using telemetry::close_reason;
using telemetry::condition_kind;

/// The maximum number of consecutive steps of one direction. Then other connections run first.
constexpr int max_steps_in_a_row = 64;

/// The times of a patient drain. A hello that has been unanswered for `monitor_time` belongs to
/// a driver's monitor, which waits for topology changes. A connection that has been idle for
/// `idle_time` has no request on its way, and its driver checks it before the next use. After
/// `longest_patient_drain`, the drain of a connection without an open cursor becomes a prompt
/// one.
constexpr std::chrono::milliseconds monitor_time{500};
constexpr std::chrono::milliseconds idle_time{1500};
constexpr std::chrono::seconds longest_patient_drain{3};

/// After session_fsm::finish(): how long to wait for outstanding replies, unless limits.message
/// is less.
constexpr std::chrono::seconds longest_finish{30};

bool has_passed(std::chrono::milliseconds limit, clock::time_point since,
                clock::time_point now) {
  return limit.count() != 0 && now - since >= limit;
}

}  // namespace

/// Limits the memory of an idle connection: docs/decisions.md, 2026-11-21.
static_assert(sizeof(session) <= 1024);

session::session(origin from, session_host& host)
    : identity_(std::move(from.host)),
      host_(host),
      now_(host.loop().now()),
      active_at_(now_),
      client_(std::move(from.client)),
      memory_(host.memory()),
      requests_(client_, mongos_, host.blocks(), memory_),
      replies_(mongos_, client_, host.blocks(), memory_),
      fsm_(host.inspector(),
           {identity_, from.mongos.cursors(), memory_, from.listener->terminates_tls(), from.id,
            from.user ? from.user.get() : &identity_.remote()}),
      id_(from.id),
      upstream_(from.mongos),
      user_(std::move(from.user)),
      since_(now_),
      setup_(std::make_unique<session_setup>(
          std::move(from.listener), upstream_, static_cast<setup_sockets&>(*this),
          host.inspector().metrics(), now_, std::move(from.reserved))) {}

session::~session() = default;

void session::on_ready(direction from_here, const net::event_loop::readiness& now) {
  unless_memory_fails([&] { handle_readiness(from_here, now); });
}

/// Reads the beginning of a message, if that is what on_ready() will do first when it is called
/// with the same `now`.
void session::read_ahead(direction from_here, const net::event_loop::readiness& now) noexcept {
  flow& lane = flow_of(from_here);
  const bool may_read = lane.is_writable && !lane.is_yielding && !lane.is_waiting &&
                        !lane.has_ended && !lane.source.is_tls() && lane.is_empty();
  if (phase_ != phase::relaying || !may_read || !now.readable || now.hung_up) return;
  const bool is_between =
      from_here == requests ? fsm_.is_between_requests(0) : fsm_.is_between_replies();
  if (!is_between || host_.loop().meter().is_turn_over()) return;
  now_ = host_.loop().now();
  lane.is_readable = lane.is_read_ahead = true;
  unless_memory_fails([&] { static_cast<void>(read(from_here, 1)); });
}

void session::write_deferred(direction way) noexcept {
  flow& lane = flow_of(way);
  if (requests_.is_waiting || !lane.ends_with_write()) {
    lane.is_runnable = true;
    return unless_memory_fails([this] { pump(); });
  }
  if (!flush(way)) return;
  lane.in_hand.reset();
  lane.buffer.release_if_empty();
  fsm_.note_unsent_replies(replies_.has_unsent());
  end_if_over();
}

void session::handle_readiness(direction from_here, const net::event_loop::readiness& now) {
  if (phase_ == phase::closed) return;
  now_ = host_.loop().now();
  note(from_here, now);
  if (must_wait(now)) return phase_ == phase::relaying ? wait_a_turn() : give_way(requests_);
  phase_ == phase::relaying ? pump() : go_on_with_setup(from_here, now);
}

/// Whether other connections run first: if the turn's work limit is reached, and before a TLS
/// handshake with the client, which takes longer than serving many connected clients.
bool session::must_wait(const net::event_loop::readiness& now) noexcept {
  const bool is_new = now.readable || now.writable || now.hung_up || now.failed;
  if (!is_new) {
    for (flow* lane : {&requests_, &replies_}) {
      if (std::exchange(lane->is_yielding, false)) lane->is_runnable = true;
    }
    return false;
  }
  if (setup_) return setup_->is_securing_client();
  return host_.loop().meter().is_turn_over();
}

/// Lets other connections run first. The direction continues in this turn or a later one, after
/// the ready sockets.
void session::give_way(flow& lane) {
  if (!is_yielding()) host_.loop().resume_later(client_side_, priority());
  lane.is_yielding = true;
}

/// Continues at the start of the next turn, because this turn's work limit is reached.
void session::wait_a_turn() {
  if (!is_yielding()) host_.loop().resume_soon(client_side_, priority());
  requests_.is_yielding = true;
}

/// Records a socket's readiness in both flows. With TLS, a write may wait until the socket is
/// readable, and a read until it is writable.
void session::note(direction from_here, const net::event_loop::readiness& now) noexcept {
  flow& incoming = flow_of(from_here);
  flow& outgoing = flow_of(from_here == requests ? replies : requests);
  const bool is_either = incoming.source.is_tls() && (now.readable || now.writable);
  if (now.readable || is_either) {
    incoming.is_runnable = true;
    if (!std::exchange(incoming.is_read_ahead, false)) incoming.is_readable = true;
  }
  if (now.hung_up) incoming.is_hung_up = true;
  if (now.failed && from_here == requests) has_client_failed_ = true;
  if ((now.writable || is_either) && !outgoing.is_writable) {
    outgoing.is_writable = outgoing.is_runnable = true;
  }
}

void session::drain(drain_mode mode) {
  now_ = host_.loop().now();
  if (phase_ == phase::closed) return;
  if (mode == drain_mode::patient) {
    patient_since_ = now_;
    return;
  }
  is_draining_ = true;
  if (phase_ != phase::relaying) return close(close_reason::drained);
  // Serves a request that has already arrived. pump() closes the session when it is quiet.
  requests_.is_readable = requests_.is_runnable = true;
  unless_memory_fails([this] { pump(); });
}

void session::close(close_reason reason) noexcept {
  if (phase_ == phase::closed) return;
  auto& metrics = host_.inspector().metrics();
  host_.loop().meter().charge(net::work_meter::close_cost);
  const close_reason why = fsm_.reason_or(reason);
  metrics.count_closed(why);
  net::done_unless_memory_fails([&] { note_end(why); });
  fsm_.end(host_.loop().now());
  write_last_replies();
  if (!setup_ || setup_->has_connected()) metrics.upstream_connections_open.sub();
  setup_.reset();
  phase_ = phase::closed;
  host_.loop().unwatch(client_, client_side_);
  host_.loop().unwatch(mongos_, mongos_side_);
  client_.close_cleanly();
  mongos_.close();
  host_.on_closed(*this);
}

/// Writes replies whose write was deferred to the end of the batch, as far as the client's
/// socket accepts them.
void session::write_last_replies() noexcept {
  const auto approved = replies_.buffer.approved();
  if (phase_ != phase::relaying || client_.is_tls() || approved.empty()) return;
  static_cast<void>(client_.write(approved));
}

/// Closes the session if a patient drain allows it.
void session::drain_patiently(clock::time_point now) {
  if (!fsm_.has_open_cursor() && now - *patient_since_ >= longest_patient_drain) {
    patient_since_.reset();
    return drain(drain_mode::prompt);
  }
  const auto needed = fsm_.serves_monitor() ? monitor_time : idle_time;
  const auto idle_since = std::max(active_at_, *patient_since_);
  if (fsm_.has_open_cursor() || now - idle_since < needed) return;
  if (is_quiet()) close(close_reason::drained);
}

void session::on_awaited() {
  if (phase_ == phase::closed) return;
  now_ = host_.loop().now();
  unless_memory_fails([this] {
    requests_.in_hand = fsm_.on_awaited(requests_.buffer.unread(), now_);
    requests_.is_runnable = true;
    pump();
  });
}

void session::on_held() {
  if (phase_ == phase::closed) return;
  now_ = host_.loop().now();
  unless_memory_fails([this] {
    requests_.in_hand = fsm_.on_held(requests_.buffer.unread(), now_);
    requests_.is_runnable = true;
    pump();
  });
}

/// Whether closing loses nothing: the fsm is idle, and all bytes are sent.
bool session::is_quiet() const noexcept {
  return fsm_.is_idle(requests_.buffer.unread().size()) && !requests_.has_unsent() &&
         !replies_.has_unsent();
}

/// Runs both directions until neither can continue. Then closes the session if it is over.
void session::pump() {
  memory_.set_stranger(is_strangers());
  while (phase_ == phase::relaying && (requests_.may_run() || replies_.may_run())) {
    if (requests_.may_run()) run(requests);
    if (fsm_.has_injection()) replies_.is_runnable = true;
    if (replies_.may_run() && phase_ == phase::relaying) run(replies);
    fsm_.note_unsent_replies(replies_.has_unsent());
    if (requests_.is_waiting && fsm_.may_request()) {
      // If the session has yielded, the requests continue when the loop resumes it.
      (replies_.is_yielding ? requests_.is_yielding : requests_.is_runnable) = true;
    }
  }
  if (phase_ != phase::closed) end_if_over();
}

/// Closes the session if it has nothing left to do. REQUIRES: it isn't closed.
void session::end_if_over() noexcept {
  if (closing_ && !replies_.has_unsent()) return close(*closing_);
  if (is_abandoned()) {
    if (!requests_.is_writable) mongos_.drop_unsent();
    return close(close_reason::client_error);
  }
  // A client that has closed its side is gone, and its throttled command with it: mongos treats
  // clients in the same way.
  if (fsm_.is_held() && requests_.is_hung_up) return close(close_reason::client_closed);
  if (is_draining_ && is_quiet()) return close(close_reason::drained);
  if (requests_.has_ended && is_quiet()) close(close_reason::client_closed);
}

/// Whether the client's socket has failed while the session doesn't read from it, so that no
/// read reports the failure. Closing then ends a command in mongos whose reply has no reader.
bool session::is_abandoned() const noexcept {
  const bool is_read = requests_.is_writable && !requests_.is_waiting;
  return has_client_failed_ && (!is_read || requests_.has_ended);
}

/// Advances one direction until it is blocked, or until other connections must run.
void session::run(direction way) {
  flow& lane = flow_of(way);
  lane.is_runnable = false;
  net::work_meter& meter = host_.loop().meter();
  const std::uint64_t enough = meter.done() + net::work_meter::slice_units;
  for (int i = 0; i < max_steps_in_a_row; ++i) {
    if (advance(way) == progress::blocked) return;
    if (meter.done() >= enough) break;
  }
  // The direction isn't blocked, but other connections must run, too.
  meter.charge(net::work_meter::steps_in_a_row);
  give_way(lane);
}

/// Makes one step of one direction.
session::progress session::advance(direction way) {
  flow& lane = flow_of(way);
  if (phase_ == phase::closed || !lane.is_writable || lane.has_ended) return progress::blocked;
  if (!lane.injected.empty() && !flush(way)) return progress::blocked;
  if (!lane.in_hand) lane.in_hand = next_step(way);
  lane.is_waiting = false;
  if (lane.in_hand->what == step::verb::forward) {
    lane.buffer.approve(lane.in_hand->bytes);
    lane.in_hand.reset();
    return progress::more;
  }
  // All other steps are carried out after the approved bytes are sent.
  if (try_defer_write(way)) return progress::blocked;
  if (!flush(way)) return progress::blocked;
  if (lane.in_hand->what == step::verb::need) {
    const std::size_t needed = lane.in_hand->bytes;
    lane.in_hand.reset();
    return read(way, needed);
  }
  const step next = *lane.in_hand;
  lane.in_hand.reset();
  return carry_out(way, next);
}

/// Defers a direction's last write until the other connections of the loop's batch have done
/// their work. Returns false if it must be written at once.
bool session::try_defer_write(direction way) noexcept {
  const flow& lane = flow_of(way);
  return lane.ends_with_write() && !lane.sink.is_tls() &&
         host_.loop().defer_write(way == requests ? client_side_ : mongos_side_);
}

step session::next_step(direction way) {
  const auto unread = flow_of(way).buffer.unread();
  return way == requests ? fsm_.next_request(unread, now_) : fsm_.next_reply(unread, now_);
}

session::progress session::carry_out(direction way, const step& next) {
  flow& lane = flow_of(way);
  switch (next.what) {
    case step::verb::drop:
      lane.buffer.drop(next.bytes);
      return progress::more;
    case step::verb::inject:
      lane.injected = next.injected();
      return progress::more;
    case step::verb::close:
      // All replies have arrived. For requests, the client may not have received them yet.
      if (way == replies) {
        close(next.reason);
      } else {
        closing_ = next.reason;
      }
      break;
    case step::verb::wait:
      lane.is_waiting = true;
      lane.buffer.release_if_empty();
      break;
    case step::verb::await:
      lane.is_waiting = true;
      host_.do_long_work(*this);
      break;
    case step::verb::hold:
      lane.is_waiting = true;
      host_.hold(*this);
      break;
    case step::verb::need:
    case step::verb::forward:
      break;  // advance() has handled them
  }
  return progress::blocked;
}

session::progress session::read(direction way, std::size_t needed) {
  flow& lane = flow_of(way);
  if (!lane.is_readable) {
    lane.buffer.release_if_empty();
    return progress::blocked;
  }
  if (!lane.buffer.make_room(needed)) {
    way == requests ? fsm_.refuse_to_hold() : fsm_.refuse_to_hold_reply();
    return progress::more;
  }
  const auto room = lane.buffer.room();
  const net::io_result result = lane.source.read(room);
  switch (result.what) {
    case status::blocked:
      lane.is_readable = false;
      return progress::more;
    case status::ended:
      return on_end(way);
    case status::failed:
      close(way == requests ? close_reason::client_error : close_reason::upstream_closed);
      return progress::blocked;
    case status::done:
      break;
  }
  auto& metrics = host_.inspector().metrics();
  (way == requests ? metrics.request_bytes : metrics.reply_bytes).add(result.bytes);
  host_.loop().meter().charge(
      net::work_meter::forward_cost(result.bytes, lane.source.is_tls() || lane.sink.is_tls()));
  lane.buffer.received(result.bytes);
  active_at_ = now_;
  // The loop reports bytes that arrive later. It doesn't report again what has already arrived,
  // such as the end of the stream after these bytes.
  const bool may_hold_more =
      result.bytes == room.size() || lane.is_hung_up || lane.source.is_tls();
  lane.is_readable = may_hold_more;
  return progress::more;
}

session::progress session::on_end(direction way) {
  if (way == replies) {
    close(requests_.has_ended ? close_reason::client_closed : close_reason::upstream_closed);
  } else if (!fsm_.is_between_requests(requests_.buffer.unread().size())) {
    host_.inspector().metrics().count_wire_error(wire::wire_errc::truncated);
    note_fault(telemetry::condition_kind::wire_errors, counted_as(),
               label(wire::wire_errc::truncated));
    fsm_.finish(close_reason::client_error, now_);
    return progress::more;
  } else {
    // Replies may be outstanding: pump() closes the session when none is.
    requests_.has_ended = true;
    requests_.buffer.release_if_empty();
    mongos_.end_writes();
  }
  return progress::blocked;
}

/// Sends a direction's approved and injected bytes. Returns false if the socket blocks, or if
/// the session was closed because it failed.
bool session::flush(direction way) {
  flow& lane = flow_of(way);
  while (lane.has_unsent()) {
    const auto approved = lane.buffer.approved();
    const net::io_result result = lane.sink.write(approved.empty() ? lane.injected : approved);
    if (result.what == status::blocked) {
      lane.is_writable = false;
      return false;
    }
    if (result.what != status::done) {
      close(way == requests ? close_reason::upstream_closed : close_reason::client_error);
      return false;
    }
    if (approved.empty()) {
      lane.injected = lane.injected.subspan(result.bytes);
    } else {
      lane.buffer.sent(result.bytes);
    }
  }
  return true;
}

void session::check(clock::time_point now, const config::limit_options& limits) {
  now_ = now;
  if (setup_) return take(setup_->check(now, limits));
  if (phase_ != phase::closed) unless_memory_fails([&] { check_relaying(now, limits); });
}

void session::check_relaying(clock::time_point now, const config::limit_options& limits) {
  if (patient_since_) drain_patiently(now);
  if (phase_ == phase::closed) return;
  const standing mongos_is = use_->standing();
  if (mongos_is == standing::closed) return close(close_reason::upstream_left);
  if (mongos_is == standing::draining && !is_draining_ && !patient_since_) patient_since_ = now;
  if (const auto since = fsm_.finishing_since()) {
    const bool is_over =
        now - *since >= longest_finish || has_passed(limits.message, *since, now);
    if (is_over) close(close_reason::message);
    return;
  }
  // The time limits count only while the client itself is slow, not while its message waits for
  // mongos, for replies, or for its turn to be judged.
  const bool is_waiting = requests_.is_waiting || requests_.is_yielding;
  if (fsm_.requests_seen() == 0) {
    const bool is_late = !is_waiting && has_passed(limits.first_message, since_, now);
    if (is_late) close(close_reason::first_message);
    return;
  }
  const bool is_coming_in = !requests_.is_readable && !requests_.has_unsent() && !is_waiting &&
                            !fsm_.is_between_requests(requests_.buffer.unread().size());
  if (!is_coming_in || fsm_.requests_seen() != seen_requests_) {
    seen_requests_ = fsm_.requests_seen();
    since_ = now;
  } else if (has_passed(limits.message, since_, now)) {
    return close(close_reason::message);
  }
  if (has_passed(limits.idle, active_at_, now) && is_quiet()) close(close_reason::idle);
}

namespace {

/// The first byte of every TLS connection: a handshake record (RFC 8446, section 5.1).
constexpr std::byte tls_handshake_record{22};

}  // namespace

void session::start() {
  if (!host_.loop().watch(client_, client_side_)) {
    return close(close_reason::client_error);
  }
  unless_memory_fails([this] { take(setup_->begin(now_)); });
}

void session::on_found(upstream::found found) {
  if (!setup_) return;
  unless_memory_fails([&] { take(setup_->on_found(std::move(found))); });
}

void session::go_on_with_setup(direction from_here, const net::event_loop::readiness& now) {
  // During the client's TLS handshake, the handshake itself reports the failure.
  if (has_client_failed_ && !setup_->is_securing_client()) {
    return close(close_reason::client_error);
  }
  take(from_here == requests ? setup_->on_client_ready(now_)
                             : setup_->on_upstream_ready(now.writable));
}

void session::take(session_setup::outcome outcome) {
  switch (outcome) {
    case session_setup::outcome::waiting:
      return;
    case session_setup::outcome::ready:
      return relay();
    case session_setup::outcome::over:
      return close(setup_->reason());
  }
}

void session::relay() {
  use_ = setup_->take_use();
  setup_.reset();
  phase_ = phase::relaying;
  since_ = active_at_ = now_ = host_.loop().now();
  requests_.is_runnable = replies_.is_runnable = true;
  pump();
}

setup_sockets::first_byte session::peek_client() noexcept {
  std::byte first{};
  switch (client_.peek(first).what) {
    case status::blocked:
      return first_byte::none_yet;
    case status::ended:
      return first_byte::ended;
    case status::failed:
      return first_byte::failed;
    case status::done:
      break;
  }
  return first == tls_handshake_record ? first_byte::tls_handshake : first_byte::other;
}

bool session::begin_client_tls(const net::tls_context& tls) {
  client_.begin_tls(tls.accept_over(client_.fd()));
  return client_.is_tls();
}

net::io_result::status session::secure_client() {
  host_.loop().meter().charge(net::work_meter::handshake_cost);
  return client_.handshake().what;
}

setup_sockets::attempt session::connect(const net::socket_address& to, net::unique_fd by) {
  net::unique_fd socket = net::begin_connect(to, std::move(by));
  if (!socket && !net::is_out_of_resources(errno)) return attempt::failed;
  return socket && use(std::move(socket)) ? attempt::connecting : attempt::out_of_resources;
}

void session::search() {
  host_.find_upstream(*this);
}

bool session::use(net::unique_fd found) {
  mongos_ = net::transport(std::move(found));
  replies_.is_hung_up = false;  // was set by an earlier socket that couldn't connect
  return host_.loop().watch(mongos_, mongos_side_);
}

bool session::finish_connect() noexcept {
  if (net::connect_result(mongos_.fd()) == 0) return true;
  host_.loop().unwatch(mongos_, mongos_side_);
  mongos_.close();
  return false;
}

/// Fails if the socket doesn't accept the whole header at once: a new socket has room for it.
bool session::announce_client() {
  const auto header =
      net::proxy_header(net::peer_of(client_.fd()), net::local_of(client_.fd()));
  const net::io_result result = mongos_.write(header);
  return result.what == status::done && result.bytes == header.size();
}

bool session::begin_upstream_tls(const net::tls_context& tls, const std::string& host) {
  mongos_.begin_tls(tls.connect_over(mongos_.fd(), host));
  return mongos_.is_tls();
}

net::io_result::status session::secure_upstream() {
  return mongos_.handshake().what;
}

const char* session::upstream_tls_failure() const noexcept {
  return mongos_.tls_failure();
}

void session::pause_accepting() {
  host_.pause_accepting();
}

/// Reports a fault at this session's listener.
void session::note_fault(condition_kind kind, std::string_view subject,
                         std::string_view detail) {
  host_.note_fault(kind, {subject, upstream_.facts().address}, detail);
}

/// Reports a limit that this session's client has reached.
void session::note_limit(std::string_view limit, std::string_view detail) {
  note_fault(condition_kind::limit_reached,
             std::string{limit}.append(", ").append(counted_as()), detail);
}

void session::note_wire_error() {
  if (const auto error = fsm_.broken_by_mongos()) {
    return note_fault(condition_kind::wire_errors, use_->text(), label(*error));
  }
  const auto error = fsm_.broken_by_client().value_or(wire::wire_errc::not_tls);
  note_fault(condition_kind::wire_errors, counted_as(), label(error));
}

/// Reports the fault that has ended the session. Reasons without a case here are normal, or
/// mongos's faults, which upstream_troubles reports.
void session::note_end(close_reason why) {
  switch (why) {
    case close_reason::wire_error:
      return note_wire_error();
    case close_reason::tls_failed:
      return note_fault(condition_kind::tls_failures, counted_as(), client_.tls_failure());
    case close_reason::limit:
      return note_limit("limits.message_size",
                        "a message exceeded the limit; connection closed");
    case close_reason::first_message:
      return note_limit("limits.first_message", "first message was late; connection closed");
    case close_reason::message:
      return note_limit("limits.message", "a message was late; connection closed");
    case close_reason::no_memory:
      return host_.note_fault(condition_kind::limit_reached, "memory",
                              "no memory; disconnected");
    default:
      return;
  }
}

}  // namespace scattergate::proxy
