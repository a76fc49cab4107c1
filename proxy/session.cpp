#include "proxy/session.hpp"

#include <array>
#include <exception>
#include <memory>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

namespace scattergate::proxy {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using telemetry::close_reason;

constexpr std::chrono::seconds connect_timeout{5};

/// Steps of one direction before other connections get their turn.
constexpr int max_steps_in_a_row = 64;

void prepare(session::socket& socket) {
  error_code ignored;  // a socket that died meanwhile fails at its first use
  socket.non_blocking(true, ignored);
  socket.set_option(asio::ip::tcp::no_delay(true), ignored);
  socket.set_option(asio::socket_base::keep_alive(true), ignored);
}

/// Closes so that the peer sees a FIN behind all that was sent: bytes left unread in our
/// receive queue would make it a reset.
void close_cleanly(session::socket& socket) {
  if (!socket.is_open()) return;
  error_code error;
  socket.shutdown(session::socket::shutdown_send, error);
  std::array<std::byte, 4096> discarded;
  for (int i = 0; i < 16 && !error; ++i) socket.read_some(asio::buffer(discarded), error);
  socket.close(error);
}

}  // namespace

session::session(socket client, std::string remote, upstream& upstream, session_host& host)
    : client_(std::move(client)),
      mongos_(client_.get_executor()),
      upstream_(upstream),
      host_(host),
      identity_(std::move(remote)),
      fsm_(host.judge(), {identity_, upstream.cursors()}),
      requests_(client_, mongos_, host.blocks()),
      replies_(mongos_, client_, host.blocks()) {}

session::~session() = default;

void session::start() {
  prepare(client_);  // before anything may close it: close_cleanly() must not wait
  is_connecting_ = true;
  connecting_since_ = clock::now();
  asio::co_spawn(
      client_.get_executor(), connect(mongos_, upstream_),
      [self = shared_from_this()](const std::exception_ptr& failure, const error_code& error) {
        self->on_connected(failure ? asio::error::fault : error);
      });
}

void session::on_connected(const error_code& error) {
  if (is_closed_) return;
  is_connecting_ = false;
  auto& metrics = host_.judge().metrics();
  if (error) {
    metrics.upstream_connect_failures.add();
    return close(close_reason::upstream_unreachable);
  }
  is_connected_ = true;
  error_code ignored;
  connected_to_ = mongos_.remote_endpoint(ignored);
  metrics.upstream_connections_open.add();
  prepare(mongos_);
  requests_.is_runnable = replies_.is_runnable = true;
  pump();
}

void session::check_upstream(clock::time_point now) {
  const auto pinned = upstream_.pinned();
  if (is_connected_) {
    if (pinned && *pinned != connected_to_) close(close_reason::upstream_left);
  } else if (is_connecting_ && now - connecting_since_ >= connect_timeout) {
    host_.judge().metrics().upstream_connect_failures.add();
    if (pinned) upstream_.unpin(*pinned);
    close(close_reason::upstream_unreachable);
  }
}

void session::drain() {
  is_draining_ = true;
  if (is_connecting_) return close(close_reason::drained);
  // A request that has arrived already is still served: pump() closes once all is quiet.
  requests_.is_drained = false;
  requests_.is_runnable = true;
  pump();
}

void session::close(close_reason reason) {
  if (is_closed_) return;
  is_closed_ = true;
  auto& metrics = host_.judge().metrics();
  fsm_.end(clock::now());
  metrics.count_closed(reason);
  if (is_connected_) metrics.upstream_connections_open.sub();
  close_cleanly(client_);
  error_code ignored;
  mongos_.close(ignored);
  host_.on_closed(*this);
}

bool session::is_quiet() noexcept {
  return fsm_.is_idle(requests_.buffer.unread().size()) && !requests_.has_unsent() &&
         !replies_.has_unsent();
}

void session::pump() {
  const auto self = shared_from_this();  // closing removes the host's reference
  now_ = clock::now();
  while (!is_closed_ && (requests_.is_runnable || replies_.is_runnable)) {
    if (requests_.is_runnable) run(requests);
    if (fsm_.has_injection()) replies_.is_runnable = true;
    if (replies_.is_runnable && !is_closed_) run(replies);
    if (requests_.waits_for_replies && fsm_.may_request()) requests_.is_runnable = true;
  }
  if (is_closed_) return;
  if (is_draining_ && is_quiet()) return close(close_reason::drained);
  if (requests_.has_ended && is_quiet()) close(close_reason::client_closed);
}

void session::run(direction way) {
  flow_of(way).is_runnable = false;
  for (int i = 0; i < max_steps_in_a_row; ++i) {
    if (advance(way) == progress::blocked) return;
  }
  // A peer that never lets us wait: let the others have their turn.
  asio::post(client_.get_executor(), [self = shared_from_this(), way] {
    if (self->is_closed_) return;
    self->flow_of(way).is_runnable = true;
    self->pump();
  });
}

session::progress session::advance(direction way) {
  flow& lane = flow_of(way);
  if (is_closed_ || lane.waits_to_write || lane.has_ended) return progress::blocked;
  if (!lane.injected.empty() && !flush(way)) return progress::blocked;
  if (!lane.in_hand) lane.in_hand = next_step(way);
  if (lane.in_hand->what == step::verb::forward) {
    lane.buffer.approve(lane.in_hand->bytes);
    lane.in_hand.reset();
    return progress::more;
  }
  // Everything else comes after what has been approved.
  if (!flush(way)) return progress::blocked;
  const step next = *lane.in_hand;
  lane.in_hand.reset();
  return carry_out(way, next);
}

step session::next_step(direction way) {
  const auto unread = flow_of(way).buffer.unread();
  return way == requests ? fsm_.next_request(unread, now_) : fsm_.next_reply(unread, now_);
}

session::progress session::carry_out(direction way, const step& next) {
  flow& lane = flow_of(way);
  lane.waits_for_replies = next.what == step::verb::wait;
  switch (next.what) {
    case step::verb::need:
      return read(way, next.bytes);
    case step::verb::drop:
      lane.buffer.drop(next.bytes);
      return progress::more;
    case step::verb::inject:
      lane.injected = next.injected;
      return progress::more;
    case step::verb::close:
      close(next.reason);
      break;
    case step::verb::forward:
    case step::verb::wait:
      break;
  }
  return progress::blocked;
}

session::progress session::read(direction way, std::size_t wanted) {
  flow& lane = flow_of(way);
  if (lane.is_drained) {
    lane.buffer.release_if_empty();
    wait_to_read(way);
    return progress::blocked;
  }
  if (!lane.buffer.make_room(wanted)) {
    fsm_.refuse_to_hold();
    return progress::more;
  }
  const auto room = lane.buffer.room();
  error_code error;
  const std::size_t bytes =
      lane.source.read_some(asio::buffer(room.data(), room.size()), error);
  if (error == asio::error::would_block || error == asio::error::try_again) {
    lane.is_drained = true;
    return progress::more;
  }
  if (error == asio::error::eof) return on_end(way);
  if (error) {
    close(way == requests ? close_reason::client_error : close_reason::upstream_closed);
    return progress::blocked;
  }
  auto& metrics = host_.judge().metrics();
  (way == requests ? metrics.request_bytes : metrics.reply_bytes).add(bytes);
  lane.buffer.received(bytes);
  lane.is_drained = bytes < room.size();
  return progress::more;
}

session::progress session::on_end(direction way) {
  if (way == replies) {
    close(requests_.has_ended ? close_reason::client_closed : close_reason::upstream_closed);
  } else if (!fsm_.is_between_requests(requests_.buffer.unread().size())) {
    host_.judge().metrics().count_wire_error(wire::wire_errc::truncated);
    close(close_reason::client_error);
  } else {
    // Replies may still be on their way: pump() closes when none is.
    requests_.has_ended = true;
    requests_.buffer.release_if_empty();
    error_code ignored;
    mongos_.shutdown(socket::shutdown_send, ignored);
  }
  return progress::blocked;
}

bool session::flush(direction way) {
  flow& lane = flow_of(way);
  while (lane.has_unsent()) {
    const auto approved = lane.buffer.approved();
    const auto bytes = approved.empty() ? lane.injected : approved;
    error_code error;
    const std::size_t sent =
        lane.sink.write_some(asio::buffer(bytes.data(), bytes.size()), error);
    if (error == asio::error::would_block || error == asio::error::try_again) {
      wait_to_write(way);
      return false;
    }
    if (error) {
      close(way == requests ? close_reason::upstream_closed : close_reason::client_error);
      return false;
    }
    if (approved.empty()) {
      lane.injected = lane.injected.subspan(sent);
    } else {
      lane.buffer.sent(sent);
    }
  }
  return true;
}

void session::wait_to_read(direction way) {
  flow& lane = flow_of(way);
  if (std::exchange(lane.waits_to_read, true)) return;
  lane.source.async_wait(socket::wait_read,
                         [self = shared_from_this(), way](const error_code& error) {
                           if (error || self->is_closed_) return;
                           auto& resumed = self->flow_of(way);
                           resumed.waits_to_read = resumed.is_drained = false;
                           resumed.is_runnable = true;
                           self->pump();
                         });
}

void session::wait_to_write(direction way) {
  flow& lane = flow_of(way);
  if (std::exchange(lane.waits_to_write, true)) return;
  lane.sink.async_wait(socket::wait_write,
                       [self = shared_from_this(), way](const error_code& error) {
                         if (error || self->is_closed_) return;
                         auto& resumed = self->flow_of(way);
                         resumed.waits_to_write = false;
                         resumed.is_runnable = true;
                         self->pump();
                       });
}

}  // namespace scattergate::proxy
