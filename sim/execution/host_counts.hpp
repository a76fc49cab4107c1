#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sim/values/value.hpp"

namespace scattergate::sim {

/// The commands that mongos's metric numHostsTargeted (how many shards commands were sent to)
/// counts separately (mongo: num_hosts_targeted_metrics.cpp).
enum class counted_command : std::uint8_t { find, insert, update, delete_, aggregate };

/// The counters of mongos's metric numHostsTargeted (serverStatus.shardingStatistics): how many
/// commands went to one, many or all shards.
class host_counts {
 public:
  /// Counts a command that was sent to `targeted` shards. `owning`: the number of shards that
  /// own chunks of the collection; 0 if it isn't sharded.
  void add(counted_command command, std::size_t targeted, std::size_t owning) noexcept;

  /// The counters as serverStatus reports them.
  [[nodiscard]] document to_document() const;

 private:
  enum class width : std::uint8_t { all_shards, many_shards, one_shard, unsharded };
  std::array<std::array<std::int64_t, 4>, 5> counts_{};
};

}  // namespace scattergate::sim
