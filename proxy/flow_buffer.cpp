#include "proxy/flow_buffer.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace scattergate::proxy {

block_pool::block block_pool::take() {
  if (free_.empty()) {
    block made{static_cast<std::byte*>(std::malloc(block_bytes))};
    return made ? std::move(made) : throw std::bad_alloc{};
  }
  block taken = std::move(free_.back());
  free_.pop_back();
  return taken;
}

void block_pool::give_back(block unused) {
  if (free_.size() < max_kept) free_.push_back(std::move(unused));
}

bool flow_buffer::make_room(std::size_t bytes) {
  if (!data_) {
    data_ = pool_->take();
    capacity_ = block_pool::block_bytes;
  }
  move_to_front();
  return end_ != capacity_ || grow(std::min(std::max(bytes, end_ + 1), 2 * capacity_));
}

bool flow_buffer::grow(std::size_t to) {
  const std::size_t from = capacity_ == block_pool::block_bytes ? 0 : capacity_;
  if (!pool_->budget().take(to - from)) return false;
  auto* const larger = static_cast<std::byte*>(std::realloc(data_.get(), to));
  if (larger == nullptr) {
    pool_->budget().give_back(to - from);
    return false;
  }
  static_cast<void>(data_.release());  // realloc has freed it
  data_.reset(larger);
  capacity_ = to;
  return true;
}

void flow_buffer::move_to_front() noexcept {
  if (begin_ == 0) return;
  std::memmove(data_.get(), data_.get() + begin_, end_ - begin_);
  scanned_ -= begin_;
  end_ -= begin_;
  begin_ = 0;
}

void flow_buffer::release() {
  if (!data_) return;
  if (capacity_ == block_pool::block_bytes) {
    pool_->give_back(std::move(data_));
  } else {
    data_.reset();
    pool_->budget().give_back(capacity_);
  }
  capacity_ = begin_ = scanned_ = end_ = 0;
}

}  // namespace scattergate::proxy
