#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace scattergate::digest {

/// A histogram of the number of shards per command. Exact below 64 shards; from 64 shards on,
/// eight buckets per doubling, each identified by its smallest number of shards. Mergeable
/// without loss.
class fanout_counts {
 public:
  /// Counts `commands` that asked `shards` shards each.
  void add(std::uint32_t shards, std::uint64_t commands);
  /// Adds another histogram, without loss.
  void add(const fanout_counts& other);

  /// A bucket of the histogram.
  struct counted {
    std::uint32_t shards;    ///< the bucket's smallest number
    std::uint64_t commands;  ///< the number of commands
    friend bool operator==(const counted&, const counted&) = default;
  };
  /// The buckets that aren't empty, by number of shards.
  [[nodiscard]] const std::vector<counted>& all() const noexcept { return counted_; }

  /// Heap memory in bytes. For merged histograms, at most the sum of their bytes().
  [[nodiscard]] std::size_t bytes() const noexcept { return counted_.size() * sizeof(counted); }

  friend bool operator==(const fanout_counts&, const fanout_counts&) = default;

 private:
  std::vector<counted> counted_;
};

}  // namespace scattergate::digest
