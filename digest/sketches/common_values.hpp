#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace scattergate::digest {

/// A frequent value. The value was seen between `count - error` and `count` times.
struct common_value {
  std::uint32_t hash_prefix = 0;  ///< the upper half of the value's salted hash
  std::uint64_t count = 0;        ///< at least the number of times that the value was seen
  std::uint64_t error = 0;        ///< how much too high `count` may be

  /// The least number of times that the value was seen.
  [[nodiscard]] std::uint64_t at_least() const noexcept { return count - error; }
  friend bool operator==(const common_value&, const common_value&) = default;
};

/// The most frequent values of a stream, with error bounds: a space-saving sketch (Metwally,
/// Agrawal, El Abbadi), merged as in Agarwal et al., "Mergeable summaries". It contains every
/// value that makes up more than 1/Capacity of the stream, and no error exceeds that share.
/// Values whose hash prefixes collide (one pair in four billion) count as one. REQUIRES: all
/// counts fit into `Count`.
template <std::size_t Capacity, typename Count = std::uint64_t>
class common_values {
 public:
  static_assert(Capacity < 255);
  /// The maximum number of values.
  static constexpr std::size_t capacity = Capacity;

  /// Counts a value `weight` times. Takes constant time on average.
  void add(std::uint64_t hash, Count weight = 1) noexcept {
    const auto hash_prefix = static_cast<std::uint32_t>(hash >> 32U);
    total_ += weight;
    for (std::uint8_t at = heads_[hash_prefix % chains]; at != 0; at = nexts_[at - 1U]) {
      if (hash_prefixes_[at - 1U] != hash_prefix) continue;
      counts_[at - 1U] += weight;
      return;
    }
    if (used_ < Capacity) return place(used_++, hash_prefix, weight, 0);
    const std::size_t victim = least();
    const Count before = counts_[victim];
    unlink(victim);
    place(victim, hash_prefix, before + weight, before);
  }

  /// Merges another sketch. Allocates. REQUIRES: both have hashes of the same salt.
  void add(const common_values& other) {
    const Count own_floor = floor();
    const Count other_floor = other.floor();
    std::vector<common_value> all = ranked();
    for (common_value& each : all) {
      const auto found = other.find(each.hash_prefix);
      each.count += found ? found->count : other_floor;
      each.error += found ? found->error : other_floor;
    }
    for (const common_value& each : other.ranked()) {
      if (find(each.hash_prefix)) continue;
      all.push_back({each.hash_prefix, each.count + own_floor, each.error + own_floor});
    }
    restore(std::move(all), total_ + other.total_);
  }

  /// The total weight of all values that were added.
  [[nodiscard]] std::uint64_t total() const noexcept { return total_; }

  /// The values by descending count, then by error and hash prefix. Allocates.
  [[nodiscard]] std::vector<common_value> ranked() const {
    std::vector<common_value> made;
    made.reserve(used_);
    for (std::size_t i = 0; i < used_; ++i)
      made.push_back({hash_prefixes_[i], counts_[i], errors_[i]});
    sort(made);
    return made;
  }

  /// A lower bound of how often the most frequent value was seen.
  [[nodiscard]] std::uint64_t most() const noexcept {
    Count made = 0;
    for (std::size_t i = 0; i < used_; ++i) made = std::max(made, counts_[i] - errors_[i]);
    return made;
  }

  /// Replaces the contents. Keeps the `Capacity` most frequent of `values`. REQUIRES: the hash
  /// prefixes of `values` differ.
  void restore(std::vector<common_value> values, std::uint64_t total) noexcept {
    sort(values);
    clear();
    total_ = static_cast<Count>(total);
    for (const common_value& each : values) {
      if (used_ == Capacity) break;
      place(used_++, each.hash_prefix, static_cast<Count>(each.count),
            static_cast<Count>(each.error));
    }
  }

  /// Removes all values, and sets total() to 0.
  void clear() noexcept {
    heads_.fill(0);
    used_ = 0;
    next_ = 0;
    least_ = 0;
    total_ = 0;
  }

 private:
  static constexpr std::size_t chains = 64;

  static void sort(std::vector<common_value>& values) noexcept {
    std::sort(values.begin(), values.end(), [](const common_value& a, const common_value& b) {
      if (a.count != b.count) return a.count > b.count;
      return a.error != b.error ? a.error < b.error : a.hash_prefix < b.hash_prefix;
    });
  }

  /// An upper bound of how often a value that isn't listed was seen.
  [[nodiscard]] Count floor() const noexcept {
    return used_ < Capacity ? Count{0} : *std::min_element(counts_.begin(), counts_.end());
  }

  [[nodiscard]] std::optional<common_value> find(std::uint32_t hash_prefix) const noexcept {
    for (std::uint8_t at = heads_[hash_prefix % chains]; at != 0; at = nexts_[at - 1U]) {
      if (hash_prefixes_[at - 1U] == hash_prefix)
        return common_value{hash_prefix, counts_[at - 1U], errors_[at - 1U]};
    }
    return std::nullopt;
  }

  void place(std::size_t at, std::uint32_t hash_prefix, Count count, Count error) noexcept {
    hash_prefixes_[at] = hash_prefix;
    counts_[at] = count;
    errors_[at] = error;
    std::uint8_t& head = heads_[hash_prefix % chains];
    nexts_[at] = head;
    head = static_cast<std::uint8_t>(at + 1);
  }

  void unlink(std::size_t at) noexcept {
    std::uint8_t* link = &heads_[hash_prefixes_[at] % chains];
    while (*link != at + 1) link = &nexts_[*link - 1U];
    *link = nexts_[at];
  }

  /// The index of a value with the least count. Counts only grow, so this function returns all
  /// values with that count in turn before it searches again.
  [[nodiscard]] std::size_t least() noexcept {
    while (next_ < Capacity) {
      if (counts_[next_++] == least_) return next_ - 1;
    }
    const auto found = std::min_element(counts_.begin(), counts_.end());
    least_ = *found;
    next_ = static_cast<std::uint8_t>(found - counts_.begin() + 1);
    return next_ - 1;
  }

  std::array<Count, Capacity> counts_{};
  std::array<Count, Capacity> errors_{};
  std::array<std::uint32_t, Capacity> hash_prefixes_{};
  std::array<std::uint8_t, Capacity> nexts_{};  // in a chain: 1 + index; 0 ends it
  std::array<std::uint8_t, chains> heads_{};
  std::uint8_t used_ = 0;
  std::uint8_t next_ = 0;  // no value before this index has the least count
  Count least_ = 0;
  Count total_ = 0;
};

}  // namespace scattergate::digest
