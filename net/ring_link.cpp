#include "net/ring_link.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>

#include <openssl/bio.h>
#include <poll.h>
#include <sys/socket.h>

#include "net/failing_memory.hpp"
#include "net/ring_engine.hpp"
#include "net/stream_calls.hpp"

namespace scattergate::net {
namespace {

using status = io_result::status;

ring_link& link_of(BIO* bio) noexcept {
  return *static_cast<ring_link*>(BIO_get_data(bio));
}

int write_bytes(BIO* bio, const char* bytes, std::size_t size, std::size_t* written) noexcept {
  const io_result result = link_of(bio).write(std::as_bytes(std::span{bytes, size}));
  BIO_clear_retry_flags(bio);
  if (result.what == status::blocked) BIO_set_retry_write(bio);
  *written = result.bytes;
  return result.what == status::done ? 1 : 0;
}

int read_bytes(BIO* bio, char* room, std::size_t size, std::size_t* read) noexcept {
  const io_result result = link_of(bio).read(std::as_writable_bytes(std::span{room, size}));
  BIO_clear_retry_flags(bio);
  if (result.what == status::blocked) BIO_set_retry_read(bio);
  *read = result.bytes;
  return result.what == status::done ? 1 : 0;
}

long control(BIO* bio, int command, long, void*) noexcept {
  if (command == BIO_CTRL_EOF) return link_of(bio).has_ended() ? 1 : 0;
  return command == BIO_CTRL_FLUSH ? 1 : 0;
}

struct method_deleter {
  void operator()(BIO_METHOD* method) const noexcept { BIO_meth_free(method); }
};
using method_handle = std::unique_ptr<BIO_METHOD, method_deleter>;

method_handle make_method() noexcept {
  method_handle made{BIO_meth_new(BIO_TYPE_SOURCE_SINK | BIO_get_new_index(), "io_uring")};
  if (!made) return made;
  BIO_meth_set_write_ex(made.get(), write_bytes);
  BIO_meth_set_read_ex(made.get(), read_bytes);
  BIO_meth_set_ctrl(made.get(), control);
  return made;
}

/// A message is small if at most this many bytes are read by hand until the socket is drained.
constexpr std::size_t small_burst = 4096;
/// After this many small messages in a row, a link works by the ring.
constexpr std::uint8_t enough_small_bursts = 2;
/// With this many unread buffers, a link works by hand again.
constexpr std::uint16_t many_buffers = 4;

constexpr readiness all_failed{true, true, true, true};

}  // namespace

BIO* make_ring_bio(ring_link& link) noexcept {
  static const method_handle method = make_method();
  BIO* const made = method ? BIO_new(method.get()) : nullptr;
  if (made == nullptr) return nullptr;
  BIO_set_data(made, &link);
  BIO_set_init(made, 1);
  return made;
}

ring_link::ring_link(ring_engine& engine, unique_fd socket, watcher& by) noexcept
    : engine_(engine), by_(&by), socket_(std::move(socket)) {}

io_result ring_link::peek(std::byte& first) noexcept {
  if (received_.size != 0) {
    first = engine_.received().front(received_).front();
    return {status::done, 1};
  }
  if (has_failed_) return {status::failed, 0};
  if (is_receiving_) return {status::blocked, 0};
  return peek_now(fd(), first);
}

io_result ring_link::read(std::span<std::byte> room) noexcept {
  if (received_.size != 0) return read_received(room);
  if (has_failed_) return {status::failed, 0};
  if (has_ended_) return {status::ended, 0};
  if (is_receiving_) return {status::blocked, 0};
  const io_result got = receive_now(fd(), room);
  note_burst(got, room.size());
  return got;
}

/// If no receive is outstanding, a result shorter than `room` means that the socket is drained,
/// so the rest of `room` is filled from the socket.
io_result ring_link::read_received(std::span<std::byte> room) noexcept {
  const std::size_t moved = engine_.received().pop(received_, room);
  if (moved == room.size() || is_receiving_ || has_failed_ || has_ended_) {
    return {status::done, moved};
  }
  const io_result more = receive_now(fd(), room.subspan(moved));
  if (more.what == status::failed) has_failed_ = true;
  return {status::done, moved + more.bytes};
}

/// Notes the result of a read by hand, and decides whether to work by the ring from now on.
void ring_link::note_burst(io_result got, std::size_t room) noexcept {
  if (got.what == status::ended) has_ended_ = true;
  burst_ = static_cast<std::uint32_t>(std::min(burst_ + got.bytes, small_burst + 1));
  const bool is_drained =
      got.what == status::blocked || (got.what == status::done && got.bytes < room);
  if (burst_ > small_burst) small_bursts_ = 0;
  if (!is_drained || burst_ == 0) return;
  if (burst_ <= small_burst && ++small_bursts_ >= enough_small_bursts && !is_full_) {
    receive_by_ring();
  }
  burst_ = 0;
}

void ring_link::receive_by_ring() noexcept {
  small_bursts_ = 0;
  is_by_ring_ = true;
  wants_poll_ = false;
  if (is_polling_) engine_.requests().cancel(ring_op::poll, this);
  if (!is_receiving_) arm_receive();
}

/// Switches to reading by poll. The bytes that the ring has already received are read first.
void ring_link::work_by_hand() noexcept {
  if (!is_by_ring_) return;
  is_by_ring_ = false;
  burst_ = small_burst + 1;  // what follows counts as large until the socket is drained
  if (is_receiving_) engine_.requests().cancel(ring_op::receive, this);
  watch_by_hand();
}

void ring_link::watch_by_hand() noexcept {
  wants_poll_ = true;
  if (!is_polling_) arm_poll();
}

void ring_link::arm_receive() noexcept {
  if (engine_.is_over()) return;
  is_receiving_ = true;
  io_uring_sqe* const request = engine_.requests().next(ring_op::receive, this);
  io_uring_prep_recv_multishot(request, fd(), nullptr, 0, 0);
  request->flags |= IOSQE_BUFFER_SELECT;
  request->buf_group = receive_buffers::group;
}

void ring_link::arm_poll() noexcept {
  if (engine_.is_over()) return;
  is_polling_ = true;
  io_uring_prep_poll_multishot(engine_.requests().next(ring_op::poll, this), fd(),
                               POLLIN | POLLOUT | POLLRDHUP);
}

void ring_link::take(const ring_event& event) noexcept {
  switch (event.what) {
    case ring_op::receive:
      on_received(event);
      break;
    case ring_op::poll:
      on_polled(event);
      break;
    case ring_op::send:
      on_sent(event);
      break;
    default:
      break;
  }
  if (is_closed()) retire_if_idle();
}

void ring_link::on_received(const ring_event& event) noexcept {
  if (!event.goes_on()) is_receiving_ = false;
  if (event.result > 0) return on_received_bytes(event);
  if (is_closed()) return;
  const bool is_interrupted = event.result == -ENOBUFS || event.result == -ECANCELED ||
                              event.result == -EINTR || event.result == -EAGAIN;
  if (event.result == 0) {
    has_ended_ = true;
    work_by_hand();  // a poll reports if the socket fails later
    return notify({true, true, true, false});
  }
  if (!is_interrupted) return fail();
  if (event.result == -ENOBUFS) work_by_hand();
  if (is_by_ring_ && !is_receiving_) return arm_receive();
  notify({true, false, false, false});  // by hand: bytes may have come meanwhile
}

void ring_link::on_received_bytes(const ring_event& event) noexcept {
  engine_.received().push(received_, event.flags, event.result);
  if (is_closed()) return engine_.received().clear(received_);
  if (received_.size >= many_buffers) work_by_hand();
  if (is_by_ring_ && !is_receiving_) arm_receive();
  notify({true, false, false, false});
}

void ring_link::on_polled(const ring_event& event) noexcept {
  if (!event.goes_on()) is_polling_ = false;
  if (is_closed()) return;
  if (wants_poll_ && !is_polling_) arm_poll();
  if (event.result <= 0) return;
  const auto changed = static_cast<unsigned>(event.result);
  if ((changed & POLLOUT) != 0) is_full_ = false;
  const bool has_failed = (changed & POLLERR) != 0;
  const bool hung_up = has_failed || (changed & (POLLRDHUP | POLLHUP)) != 0;
  notify({hung_up || (changed & POLLIN) != 0, hung_up || (changed & POLLOUT) != 0, hung_up,
          has_failed});
}

/// Reports that the connection has failed, for example because the peer has reset it.
void ring_link::fail() noexcept {
  has_failed_ = true;
  if (is_closed()) return;
  notify(all_failed);
}

void ring_link::notify(const readiness& now) noexcept {
  if (by_ == nullptr || engine_.is_over()) return;
  done_unless_memory_fails([&] { by_->on_ready(now); });
}

io_result ring_link::write(std::span<const std::byte> bytes) noexcept {
  if (has_failed_) return {status::failed, 0};
  if (!unsent_ && !is_sending_) {
    // Sends the rest of a large message at once too. At the end of the turn it would arrive
    // after other connections' large messages, and more of them would be in the kernel's
    // buffers.
    const bool is_small = bytes.size() <= send_blocks::bytes;
    const bool is_rest = is_sending_large_;
    is_sending_large_ = !is_small;
    if (is_by_ring_ && is_small && !is_rest) unsent_ = engine_.to_send().acquire();
    if (!unsent_) {
      const io_result sent = send_now(fd(), bytes);
      if (sent.what != status::blocked) return sent;
      is_full_ = true;
      work_by_hand();
      return sent;
    }
    unsent_begin_ = unsent_end_ = 0;
    if (!is_queued_) engine_.submit_later(*this);
    is_queued_ = true;
  }
  const std::size_t some =
      is_sending_ ? 0 : std::min(bytes.size(), send_blocks::bytes - unsent_end_);
  if (some == 0) {
    wants_write_ = true;
    return {status::blocked, 0};
  }
  std::memcpy(unsent_.get() + unsent_end_, bytes.data(), some);
  unsent_end_ = static_cast<std::uint16_t>(unsent_end_ + some);
  return {status::done, some};
}

void ring_link::submit() noexcept {
  is_queued_ = false;
  if (!unsent_ || is_sending_) return;
  is_sending_ = true;
  io_uring_prep_send(
      engine_.requests().next(ring_op::send, this), fd(), unsent_.get() + unsent_begin_,
      static_cast<std::size_t>(unsent_end_ - unsent_begin_), MSG_NOSIGNAL | MSG_WAITALL);
}

void ring_link::on_sent(const ring_event& event) noexcept {
  is_sending_ = false;
  const bool is_all = event.result == unsent_end_ - unsent_begin_;
  discard_unsent();
  if (!is_all) return fail();
  if (ends_writes_) ::shutdown(fd(), SHUT_WR);
  if (!wants_write_) return;
  wants_write_ = false;
  notify({false, true, false, false});
}

void ring_link::discard_unsent() noexcept {
  if (unsent_) engine_.to_send().release(std::move(unsent_));
}

/// Sends the copied bytes at once, not with the next wait. The ring sends the bytes that the
/// socket doesn't accept.
void ring_link::flush_by_hand() noexcept {
  if (!unsent_ || is_sending_) return;
  const auto size = static_cast<std::size_t>(unsent_end_ - unsent_begin_);
  const io_result sent = send_now(fd(), {unsent_.get() + unsent_begin_, size});
  unsent_begin_ = static_cast<std::uint16_t>(unsent_begin_ + sent.bytes);
  if (sent.what == status::failed || sent.bytes == size) discard_unsent();
}

void ring_link::end_writes() noexcept {
  flush_by_hand();
  ends_writes_ = true;
  if (!unsent_) ::shutdown(fd(), SHUT_WR);
}

void ring_link::drop_unsent() noexcept {
  reset_when_closed(fd());
  is_dropping_ = true;
}

void ring_link::close(bool discards_received) noexcept {
  by_ = nullptr;
  discards_received_ = discards_received;
  engine_.received().clear(received_);
  if (is_dropping_) {
    give_up();
  } else {
    flush_by_hand();
  }
  if (is_receiving_ && !engine_.is_over()) engine_.requests().cancel(ring_op::receive, this);
  if (is_polling_ && !engine_.is_over()) engine_.requests().cancel(ring_op::poll, this);
  engine_.note_closing(*this);
  retire_if_idle();
}

bool ring_link::note_late() noexcept {
  const bool was_late = is_late_;
  is_late_ = true;
  return was_late;
}

void ring_link::give_up() noexcept {
  reset_when_closed(fd());
  if (is_sending_) return engine_.requests().cancel(ring_op::send, this);
  discard_unsent();
}

void ring_link::retire_if_idle() noexcept {
  const bool is_idle = !is_receiving_ && !is_polling_ && !unsent_;
  if (is_retired_ || !(is_idle || engine_.is_over())) return;
  is_retired_ = true;
  if (discards_received_) discard_received(fd());
  socket_.reset();
  engine_.retire(*this);
}

}  // namespace scattergate::net
