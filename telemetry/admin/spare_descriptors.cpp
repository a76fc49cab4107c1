#include "telemetry/admin/spare_descriptors.hpp"

#include <utility>

#include <sys/eventfd.h>

namespace scattergate::telemetry {

spare_descriptors::spare_descriptors(std::size_t count) {
  held_.reserve(count);
  refill();
}

bool spare_descriptors::release() noexcept {
  if (held_.empty()) return false;
  for (std::size_t i = 0; i < per_answer && !held_.empty(); ++i) {
    held_.pop_back();
  }
  return true;
}

void spare_descriptors::refill() noexcept {
  while (held_.size() < held_.capacity()) {
    net::unique_fd least{::eventfd(0, EFD_CLOEXEC)};  // the cheapest kind of descriptor
    if (!least) return;
    held_.push_back(std::move(least));
  }
}

}  // namespace scattergate::telemetry
