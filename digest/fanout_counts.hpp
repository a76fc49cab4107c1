#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace scattergate::digest {

/// The distribution of the number of shards per command. Exact up to 64 shards; above, eight
/// classes per doubling, each represented by its smallest number. Mergeable: the result equals
/// counting both together.
class fanout_counts {
 public:
  void add(std::uint32_t shards, std::uint64_t commands);
  void add(const fanout_counts& other);

  struct counted {
    std::uint32_t shards;  ///< smallest number of the class
    std::uint64_t commands;
    friend bool operator==(const counted&, const counted&) = default;
  };
  /// By number of shards, without empty classes.
  [[nodiscard]] const std::vector<counted>& all() const noexcept { return counted_; }

  /// Memory besides the object itself; at most the sum over the parts that were added.
  [[nodiscard]] std::size_t bytes() const noexcept { return counted_.size() * sizeof(counted); }

  friend bool operator==(const fanout_counts&, const fanout_counts&) = default;

 private:
  std::vector<counted> counted_;
};

}  // namespace scattergate::digest
