#include "proxy/flow_buffer.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace scattergate::proxy {

block_pool::block block_pool::take() {
  if (free_.empty()) return std::make_unique_for_overwrite<std::byte[]>(block_bytes);
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
  const std::size_t wanted = std::max(bytes, end_ + 1);
  if (wanted <= capacity_) return true;
  if (!pool_->budget().take(wanted)) return false;
  block_pool::block larger{new (std::nothrow) std::byte[wanted]};
  if (!larger) {
    pool_->budget().give_back(wanted);
    return false;
  }
  const std::size_t size = end_;
  std::memcpy(larger.get(), data_.get(), size);
  release();
  data_ = std::move(larger);
  capacity_ = wanted;
  end_ = size;
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
