#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace scattergate::digest {

/// Counts commands by the number of shards that they asked: a histogram. Each number below 64
/// has a bucket of its own. From 64 on, there are eight buckets per doubling. Histograms can be
/// merged without loss.
class fanout_counts {
 public:
  /// Counts `commands` that asked `shards` shards each.
  void add(std::uint32_t shards, std::uint64_t commands);
  /// Adds another histogram, without loss.
  void add(const fanout_counts& other);

  /// A bucket of the histogram.
  struct counted {
    std::uint32_t shards;    ///< the bucket's smallest number of shards
    std::uint64_t commands;  ///< the number of commands
    friend bool operator==(const counted&, const counted&) = default;
  };
  /// The buckets that aren't empty, by number of shards.
  [[nodiscard]] const std::vector<counted>& all() const noexcept { return counted_; }

  /// The heap memory of this object, in bytes. A merged histogram takes at most as much as its
  /// parts together.
  [[nodiscard]] std::size_t bytes() const noexcept { return counted_.size() * sizeof(counted); }

  friend bool operator==(const fanout_counts&, const fanout_counts&) = default;

 private:
  std::vector<counted> counted_;
};

}  // namespace scattergate::digest
