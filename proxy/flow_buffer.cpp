#include "proxy/flow_buffer.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace scattergate::proxy {
namespace {

block_pool::block allocate(std::size_t bytes) noexcept {
  return block_pool::block{static_cast<std::byte*>(std::malloc(bytes))};
}

}  // namespace

block_pool::loan block_pool::lend(telemetry::memory_share& borrower) {
  if (!free_.empty()) {
    block taken = std::move(free_.back());
    free_.pop_back();
    return {std::move(taken), block_bytes, 0};
  }
  if (made_ < own_blocks) {
    if (block made = allocate(block_bytes)) {
      ++made_;
      return {std::move(made), block_bytes, 0};
    }
  } else if (borrower.reserve(block_bytes)) {
    if (block made = allocate(block_bytes)) return {std::move(made), block_bytes, block_bytes};
    borrower.release(block_bytes);
  }
  block small = allocate(small_bytes);
  if (!small) throw std::bad_alloc{};
  return {std::move(small), small_bytes, 0};
}

void block_pool::take_back(loan returned, telemetry::memory_share& borrower) noexcept {
  if (returned.charged != 0) {
    borrower.release(returned.charged);
  } else if (returned.size == block_bytes) {
    free_.push_back(std::move(returned.bytes));
  }
}

bool flow_buffer::make_room(std::size_t bytes) {
  if (held_.size == 0) held_ = pool_.lend(share_);
  move_to_front();
  if (end_ != held_.size) return true;
  return grow(std::min(std::max(narrow(bytes), end_ + 1), 2 * held_.size));
}

bool flow_buffer::grow(std::uint32_t to) {
  if (held_.charged != 0) return stretch(to);
  if (held_.size < block_pool::block_bytes) {
    auto whole = pool_.lend(share_);
    if (whole.size <= held_.size) return false;
    move_into(std::move(whole));
    return true;
  }
  if (!share_.reserve(to)) return false;
  block_pool::loan larger{allocate(to), to, to};
  if (!larger.bytes) {
    share_.release(to);
    return false;
  }
  move_into(std::move(larger));
  return true;
}

/// Enlarges a block that is charged to the share. Returns false if the share is exhausted.
bool flow_buffer::stretch(std::uint32_t to) noexcept {
  const std::uint32_t more = to - held_.size;
  if (!share_.reserve(more)) return false;
  auto* const larger = static_cast<std::byte*>(std::realloc(data(), to));
  if (larger == nullptr) {
    share_.release(more);
    return false;
  }
  static_cast<void>(held_.bytes.release());  // realloc has freed it
  held_.bytes.reset(larger);
  held_.size = held_.charged = to;
  return true;
}

void flow_buffer::move_into(block_pool::loan larger) noexcept {
  std::memcpy(larger.bytes.get(), data(), end_);
  pool_.take_back(std::exchange(held_, std::move(larger)), share_);
}

void flow_buffer::move_to_front() noexcept {
  if (begin_ == 0) return;
  std::memmove(data(), data() + begin_, end_ - begin_);
  scanned_ -= begin_;
  end_ -= begin_;
  begin_ = 0;
}

void flow_buffer::release() noexcept {
  if (held_.size == 0) return;
  pool_.take_back(std::exchange(held_, {}), share_);
  begin_ = scanned_ = end_ = 0;
}

}  // namespace scattergate::proxy
