#include "telemetry/admin/spare_descriptors.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

namespace scattergate::telemetry {

spare_descriptors::spare_descriptors(std::size_t count) {
  held_.reserve(count);
  refill();
}

spare_descriptors::~spare_descriptors() {
  for (const int fd : held_) ::close(fd);
}

bool spare_descriptors::release() noexcept {
  if (held_.empty()) return false;
  for (std::size_t i = 0; i < per_answer && !held_.empty(); ++i) {
    ::close(held_.back());
    held_.pop_back();
  }
  return true;
}

void spare_descriptors::refill() noexcept {
  while (held_.size() < held_.capacity()) {
    const int fd = ::eventfd(0, EFD_CLOEXEC);  // the least there is
    if (fd < 0) return;
    held_.push_back(fd);
  }
}

}  // namespace scattergate::telemetry
