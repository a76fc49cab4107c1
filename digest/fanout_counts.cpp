#include "digest/fanout_counts.hpp"

#include <algorithm>
#include <bit>

namespace scattergate::digest {
namespace {

constexpr std::uint32_t exact_below = 64;
constexpr int kept_bits = 4;  // eight buckets per doubling

std::uint32_t least_of_class(std::uint32_t shards) noexcept {
  if (shards < exact_below) return shards;
  const int dropped = std::bit_width(shards) - kept_bits;
  return shards >> dropped << dropped;
}

}  // namespace

void fanout_counts::add(std::uint32_t shards, std::uint64_t commands) {
  if (commands == 0) return;
  const std::uint32_t least = least_of_class(shards);
  const auto at =
      std::lower_bound(counted_.begin(), counted_.end(), least,
                       [](const counted& one, std::uint32_t of) { return one.shards < of; });
  if (at != counted_.end() && at->shards == least) {
    at->commands += commands;
  } else {
    counted_.insert(at, {least, commands});
  }
}

void fanout_counts::add(const fanout_counts& other) {
  for (const counted& one : other.counted_) add(one.shards, one.commands);
}

}  // namespace scattergate::digest
