#include "net/ring.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <system_error>
#include <utility>

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace scattergate::net {
namespace {

constexpr unsigned submissions = 2048;
constexpr unsigned completions = 16'384;

[[noreturn]] void fail(int error, const char* what) {
  throw std::system_error(error, std::generic_category(), what);
}

/// Since Linux 6.1, the kernel can do its part of the completions only while this thread waits
/// for them; Linux 6.0 does it during any system call of this thread.
int open(io_uring& ring) noexcept {
  constexpr unsigned always = IORING_SETUP_R_DISABLED | IORING_SETUP_CQSIZE |
                              IORING_SETUP_CLAMP | IORING_SETUP_SUBMIT_ALL |
                              IORING_SETUP_SINGLE_ISSUER;
  int result = -EINVAL;
  for (const unsigned more : {IORING_SETUP_DEFER_TASKRUN, IORING_SETUP_COOP_TASKRUN}) {
    io_uring_params parameters{};
    parameters.flags = always | more;
    parameters.cq_entries = completions;
    result = io_uring_queue_init_params(submissions, &ring, &parameters);
    if (result != -EINVAL) return result;
  }
  return result;
}

/// Whether the kernel has the multishot receive, which can't be probed. It came with Linux 6.0,
/// and so did IORING_OP_SEND_ZC, which can.
bool has_multishot_receive(io_uring& ring) noexcept {
  io_uring_probe* const probe = io_uring_get_probe_ring(&ring);
  const bool has = probe != nullptr && io_uring_opcode_supported(probe, IORING_OP_SEND_ZC) != 0;
  io_uring_free_probe(probe);
  return has;
}

}  // namespace

ring::ring() {
  if (const int result = open(ring_); result < 0) fail(-result, "io_uring_setup");
  if (!has_multishot_receive(ring_)) {
    io_uring_queue_exit(&ring_);
    fail(EOPNOTSUPP, "io_uring needs Linux 6.0");
  }
}

ring::~ring() {
  io_uring_queue_exit(&ring_);
}

void ring::enable() noexcept {
  if (std::exchange(is_enabled_, true)) return;
  // Debian 12's liburing declares io_uring_enable_rings(), but doesn't have it.
  ::syscall(SYS_io_uring_register, ring_.ring_fd, IORING_REGISTER_ENABLE_RINGS, nullptr, 0);
  io_uring_register_ring_fd(&ring_);  // saves a look-up per wait, if it works
}

std::uint64_t ring::tag(ring_op what, void* owner) noexcept {
  return reinterpret_cast<std::uint64_t>(owner) | static_cast<std::uint64_t>(what);
}

io_uring_sqe* ring::next(ring_op what, void* owner) noexcept {
  io_uring_sqe* made = io_uring_get_sqe(&ring_);
  while (made == nullptr) {
    submit();
    made = io_uring_get_sqe(&ring_);
  }
  // liburing's functions that fill in a request don't change its user data.
  made->user_data = tag(what, owner);
  if (what != ring_op::ignored) ++outstanding_;
  return made;
}

void ring::cancel(ring_op what, void* owner) noexcept {
  io_uring_sqe* const request = next(ring_op::ignored, nullptr);
  io_uring_prep_cancel64(request, tag(what, owner), 0);
}

void ring::cancel_all() noexcept {
  io_uring_sqe* const request = next(ring_op::ignored, nullptr);
  io_uring_prep_cancel64(request, 0, IORING_ASYNC_CANCEL_ANY);
}

void ring::submit_and_wait(std::optional<std::chrono::milliseconds> longest) noexcept {
  enable();
  if (longest == std::chrono::milliseconds{0}) return submit();
  io_uring_cqe* first = nullptr;
  __kernel_timespec limit{};
  if (longest) {
    limit.tv_sec = longest->count() / 1000;
    limit.tv_nsec = longest->count() % 1000 * 1'000'000;
  }
  io_uring_submit_and_wait_timeout(&ring_, &first, 1, longest ? &limit : nullptr, nullptr);
}

void ring::submit() noexcept {
  enable();
  io_uring_submit_and_get_events(&ring_);
}

receive_buffers::receive_buffers(ring& of)
    : ring_(of), memory_(std::make_unique_for_overwrite<std::byte[]>(count * bytes)) {
  constexpr std::size_t size = count * sizeof(io_uring_buf);
  void* const mapped =
      ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_PRIVATE, -1, 0);
  if (mapped == MAP_FAILED) fail(errno, "mmap");
  shared_ = static_cast<io_uring_buf_ring*>(mapped);
  io_uring_buf_reg requested{};
  requested.ring_addr = reinterpret_cast<std::uint64_t>(mapped);
  requested.ring_entries = count;
  requested.bgid = group;
  if (const int result = io_uring_register_buf_ring(of.handle(), &requested, 0); result < 0) {
    ::munmap(mapped, size);
    fail(-result, "io_uring_register_buf_ring");
  }
  io_uring_buf_ring_init(shared_);
  for (std::uint16_t id = 0; id < count; ++id) give(id);
}

receive_buffers::~receive_buffers() {
  io_uring_unregister_buf_ring(ring_.handle(), group);
  ::munmap(shared_, count * sizeof(io_uring_buf));
}

std::byte* receive_buffers::at(std::uint16_t id) const noexcept {
  return memory_.get() + id * bytes;
}

void receive_buffers::give(std::uint16_t id) noexcept {
  io_uring_buf_ring_add(shared_, at(id), bytes, id, io_uring_buf_ring_mask(count), 0);
  io_uring_buf_ring_advance(shared_, 1);
}

void receive_buffers::push(queue& to, std::uint32_t flags, int size) noexcept {
  const auto id = static_cast<std::uint16_t>(flags >> IORING_CQE_BUFFER_SHIFT);
  sizes_[id] = static_cast<std::uint16_t>(size);
  if (to.size == 0) {
    to.first = id;
    to.begin = 0;
  } else {
    next_[to.last] = id;
  }
  to.last = id;
  ++to.size;
}

std::span<const std::byte> receive_buffers::front(const queue& of) const noexcept {
  return {at(of.first) + of.begin, at(of.first) + sizes_[of.first]};
}

void receive_buffers::pop_front(queue& from) noexcept {
  const std::uint16_t used = from.first;
  from.first = next_[used];
  from.begin = 0;
  --from.size;
  give(used);
}

std::size_t receive_buffers::pop(queue& from, std::span<std::byte> room) noexcept {
  std::size_t moved = 0;
  while (from.size != 0 && moved < room.size()) {
    const auto unread = front(from);
    const std::size_t some = std::min(unread.size(), room.size() - moved);
    std::memcpy(room.data() + moved, unread.data(), some);
    moved += some;
    from.begin = static_cast<std::uint16_t>(from.begin + some);
    if (some == unread.size()) pop_front(from);
  }
  return moved;
}

void receive_buffers::clear(queue& all) noexcept {
  while (all.size != 0) pop_front(all);
}

send_blocks::block send_blocks::acquire() noexcept {
  if (!free_.empty()) {
    block taken = std::move(free_.back());
    free_.pop_back();
    return taken;
  }
  if (made_ == most) return nullptr;
  block made{new (std::nothrow) std::byte[bytes]};
  if (made) ++made_;
  return made;
}

}  // namespace scattergate::net
