#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "routing/verdict.hpp"
#include "telemetry/shapes/shape_tally.hpp"

namespace scattergate::proxy {

/// The parts of a command's judgement that later getMores on the command's cursor inherit.
struct cursor_origin {
  /// How mongos routes the command.
  routing::routing_class routing = routing::routing_class::unknown;
  /// How the command's filter bounds the shard key.
  routing::bounds_kind bounds = routing::bounds_kind::none;
  /// Why the command has this routing class.
  routing::reason why = routing::reason::none;
  /// The hash of the command's shape.
  std::uint64_t shape_hash = 0;
  /// The routing class and number of shards, as the digest (the table of shapes) counts them.
  telemetry::destination digest_destination;
};

/// The open cursors of one listener's mongos, by cursor id. Workers share this table, because a
/// driver may send a getMore on any connection. It is a set-associative cache of fixed size. A
/// full set evicts an entry of the connection with the most entries in the set; the new cursor
/// counts as an entry. So a connection with very many cursors evicts its own cursors. The
/// getMores of an evicted cursor count as `unknown`. Thread-safety: any thread.
class cursor_table {
 public:
  cursor_table();
  ~cursor_table();

  /// Adds a cursor. `origin`: the judgement of the command that opened the cursor. `owner`:
  /// the id of the client connection that opened the cursor.
  void remember(std::int64_t cursor_id, const cursor_origin& origin, std::uint64_t owner);
  /// Looks up a cursor; std::nullopt if it isn't in the table.
  [[nodiscard]] std::optional<cursor_origin> find(std::int64_t cursor_id) const;
  /// Removes a cursor, because it is exhausted or killed. Does nothing if it isn't in the
  /// table.
  void forget(std::int64_t cursor_id);

  /// The number of cursors in the table.
  [[nodiscard]] std::uint64_t size() const noexcept {
    return size_.load(std::memory_order_relaxed);
  }
  /// The number of cursors evicted since construction.
  [[nodiscard]] std::uint64_t evictions() const noexcept {
    return evictions_.load(std::memory_order_relaxed);
  }

 private:
  static constexpr std::size_t shard_count = 16;
  static constexpr std::size_t sets_per_shard = 512;
  static constexpr std::size_t ways = 4;

  struct entry {
    std::int64_t id = 0;  ///< 0: free
    cursor_origin origin;
    std::uint32_t owner = 0;  ///< the low bits of the owner's id, which suffice in practice
  };
  using entry_set = std::array<entry, ways>;
  struct shard {
    mutable std::mutex mutex;
    std::array<entry_set, sets_per_shard> sets;
    std::uint32_t next_victim = 0;
  };
  struct place {
    shard& owner;
    entry_set& set;
  };
  [[nodiscard]] static entry& victim_of(shard& owner, entry_set& set,
                                        std::uint32_t bringing) noexcept;
  [[nodiscard]] place place_of(std::int64_t cursor_id) const noexcept;

  std::unique_ptr<std::array<shard, shard_count>> shards_;
  std::atomic<std::uint64_t> size_{0};
  std::atomic<std::uint64_t> evictions_{0};
};

}  // namespace scattergate::proxy
