#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace scattergate::digest {

/// How many commands asked how many shards. Exact up to 64 shards; beyond, eight classes to
/// each doubling, each known by its least number. Mergeable: adding two is the same as having
/// counted both.
class fanout_counts {
 public:
  void add(std::uint32_t shards, std::uint64_t commands);
  void add(const fanout_counts& other);

  struct counted {
    std::uint32_t shards;  ///< the least of its class
    std::uint64_t commands;
    friend bool operator==(const counted&, const counted&) = default;
  };
  /// By the number of shards, none of them empty.
  [[nodiscard]] const std::vector<counted>& all() const noexcept { return counted_; }

  /// What they take beside this; never more than the parts that were added.
  [[nodiscard]] std::size_t bytes() const noexcept { return counted_.size() * sizeof(counted); }

  friend bool operator==(const fanout_counts&, const fanout_counts&) = default;

 private:
  std::vector<counted> counted_;
};

}  // namespace scattergate::digest
