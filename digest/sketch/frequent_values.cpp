#include "digest/sketch/frequent_values.hpp"

namespace scattergate::digest {

std::uint64_t frequent_values::most() const noexcept {
  std::uint64_t most = 0;
  for (const frequent_value& one : all()) most = std::max(most, one.at_least());
  return most;
}

void frequent_values::add_slowly(std::uint64_t hash) noexcept {
  std::size_t at = 0;
  while (at != size_ && values_[at].hash != hash) ++at;
  if (at != size_) {
    ++values_[at].count;
  } else {
    at = size_ < capacity ? size_++ : least();
    floor_ = std::max(floor_, values_[at].count);
    values_[at] = {hash, floor_ + 1, floor_};
  }
  guesses_[hash % guesses_.size()] = static_cast<std::uint8_t>(at);
}

/// Goes on where it ended: while values come that are new, all others have the same count.
std::size_t frequent_values::least() noexcept {
  for (std::size_t i = 0; i != capacity; ++i) {
    const std::size_t at = next_++ % capacity;
    if (values_[at].count <= floor_) return at;
  }
  const auto found = std::ranges::min_element(values_, {}, &frequent_value::count);
  return static_cast<std::size_t>(found - values_.begin());
}

void frequent_values::add(const frequent_values& other) noexcept {
  std::array<frequent_value, 2 * capacity> both{};
  std::size_t size = size_;
  std::ranges::copy(all(), both.begin());
  for (frequent_value& one : std::span{both}.first(size_)) {
    const auto found = std::ranges::find(other.all(), one.hash, &frequent_value::hash);
    const bool is_there = found != other.all().end();
    one.count += is_there ? found->count : other.floor_;
    one.error += is_there ? found->error : other.floor_;
  }
  for (const frequent_value& one : other.all()) {
    if (std::ranges::find(all(), one.hash, &frequent_value::hash) != all().end()) continue;
    both[size++] = {one.hash, one.count + floor_, one.error + floor_};
  }
  const auto merged = std::span{both}.first(size);
  std::ranges::sort(merged, [](const frequent_value& a, const frequent_value& b) {
    return a.count != b.count ? a.count > b.count : a.hash < b.hash;
  });
  const std::size_t kept = std::min(size, capacity);
  floor_ += other.floor_;
  if (kept != size) floor_ = std::max(floor_, merged[kept].count);
  std::ranges::copy(merged.first(kept), values_.begin());
  size_ = static_cast<std::uint32_t>(kept);
  guesses_ = {};
}

}  // namespace scattergate::digest
