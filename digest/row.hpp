#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "digest/callers.hpp"
#include "digest/execution.hpp"
#include "digest/time_histogram.hpp"
#include "routing/verdict.hpp"

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

/// A time in UTC, from the system's clock or a log.
using wall_time = std::chrono::system_clock::time_point;

/// The key of a row: namespace, command and shape. A shape is a command without its values. A
/// view.
struct row_key {
  std::string_view database;
  std::string_view collection;
  std::string_view command;
  std::uint64_t shape_hash = 0;  ///< the shape's hash
};

/// The facts about a shape, besides the row's key and counts. If commands of the shape differ,
/// the facts are those of the command with the worst routing class so far.
struct description {
  routing::routing_class routing{};  ///< which shards mongos asks
  routing::bounds_kind bounds{};     ///< how far the filter limits the shard key
  routing::cause why;                ///< the reason for the class, a lint, or a rejection;
                                     ///< see routing::cause_of()
  std::string shape_json;            ///< empty: unknown
  std::string shard_key_json;        ///< {"project_id":1,...}; empty: unsharded or unknown
  std::vector<std::string> missing;  ///< the shard key's fields that the filter doesn't bound
  std::vector<std::string> lints;    ///< names of problems that don't depend on the class
  std::string suggestion;            ///< one sentence of advice; empty: nothing to do
  /// The position in its batch, from 0, of the first statement that asks every shard. The
  /// members above are about that statement. Empty: no batch of several statements, or none
  /// asks every shard.
  std::optional<std::uint32_t> statement{};

  friend bool operator==(const description&, const description&) = default;
};

/// One observed command, or `count` commands that a source counts together. `errors`: how many
/// of them failed. `first`, `last`: the times of the first and last one; empty: unknown.
struct sighting {
  std::uint64_t count = 1;
  std::uint64_t errors = 0;
  std::optional<std::uint32_t> fanout;  ///< shards that each command asked; empty: unknown
  std::optional<std::chrono::nanoseconds> duration;  ///< sum over all commands; std::nullopt:
                                                     ///< unknown
  std::chrono::nanoseconds longest{0};  ///< the longest duration of one of several commands; 0:
                                        ///< unknown
  std::optional<wall_time> first;
  std::optional<wall_time> last;
  std::chrono::nanoseconds resolution{0};  ///< resolution of the durations: 1 ms in logs
};

/// Sums of shard requests (requests of mongos to shards), over the commands whose number of
/// shards is known. A wasted request is one beyond the first of a command.
struct shard_requests {
  std::uint64_t commands = 0;  ///< number of commands with a known fan-out
  std::uint64_t asked = 0;     ///< number of shard requests of these commands
  std::uint64_t wasted = 0;    ///< requests beyond the first of each command
  std::uint32_t most = 0;      ///< maximum per command

  /// Adds `times` commands that asked `fanout` shards each.
  void add(std::uint32_t fanout, std::uint64_t times) noexcept;
  /// Adds the sums of other commands.
  void add(const shard_requests& other) noexcept;
  /// Subtracts an earlier state of this object. Keeps `most`.
  void subtract(const shard_requests& earlier) noexcept;

  friend bool operator==(const shard_requests&, const shard_requests&) = default;
};

/// The number of wasted shard requests of `commands`; std::nullopt if it is unknown. A wasted
/// request is one beyond the first of a command. `known`: the number of commands whose number
/// of shards is known. `wasted`: the number of requests that these commands wasted. If `known`
/// isn't 0, returns `wasted`. If `known` is 0, the number is unknown in two cases: a command
/// may have asked a sharded collection, or all commands are `not_routed`.
[[nodiscard]] std::optional<std::uint64_t> known_waste(
    std::uint64_t commands,
    std::span<const std::uint64_t, routing::routing_class_count> by_routing,
    std::uint64_t known, std::uint64_t wasted) noexcept;

/// The sum of two durations; the longest duration if the sum overflows.
[[nodiscard]] std::chrono::nanoseconds sum(std::chrono::nanoseconds a,
                                           std::chrono::nanoseconds b) noexcept;

/// Counts of commands, which can be merged: add() gives the same result as counting all
/// commands together. `count`: all commands; `errors`: those that failed; `by_routing`:
/// commands by routing class.
struct counts {
  std::uint64_t count = 0;
  std::uint64_t errors = 0;
  std::array<std::uint64_t, routing::routing_class_count> by_routing{};
  shard_requests shards;                   ///< the shards that the commands asked
  std::chrono::nanoseconds total{0};       ///< the sum of all known durations
  std::chrono::nanoseconds longest{0};     ///< the longest known duration
  std::chrono::nanoseconds resolution{0};  ///< the coarsest resolution of a duration
  time_histogram times;                    ///< the durations of single commands
  std::uint64_t timed_together = 0;        ///< commands whose duration is known only as a sum
  std::optional<wall_time> first_seen;     ///< empty: unknown
  std::optional<wall_time> last_seen;      ///< empty: unknown
  callers who;                             ///< the senders

  /// Whether the duration of any command is known.
  [[nodiscard]] bool has_times() const noexcept {
    return times.count() != 0 || timed_together != 0;
  }
  /// Whether the histogram includes all commands with a known duration.
  [[nodiscard]] bool has_quantiles() const noexcept {
    return times.count() != 0 && timed_together == 0;
  }

  /// The number of wasted shard requests; std::nullopt if it is unknown. See the function
  /// known_waste().
  [[nodiscard]] std::optional<std::uint64_t> known_waste() const noexcept;

  /// Counts a sighting with this routing class, without a caller.
  void count_in(const sighting& seen, routing::routing_class routing);
  /// Adds `other`. If it throws std::bad_alloc, nothing has changed.
  void add(const counts& other);

  /// Allocates the memory for add(other), which then can't fail.
  void make_room_for(const counts& other);
  /// Adds `other` without allocating. The callers of `other` count as others. Omits the
  /// histogram of its durations, but adds their sum.
  void add_plainly(const counts& other) noexcept;

  /// Subtracts an earlier state of this object, so that the counts since that state are left.
  /// Keeps `longest`, `shards.most` and `resolution`, because it is unknown when they occurred.
  /// Sets `first_seen` to earlier.last_seen if that is later.
  void subtract(const counts& earlier) noexcept;

  friend bool operator==(const counts&, const counts&) = default;

 private:
  void add_sums(const counts& other) noexcept;  // everything but the durations and callers
};

/// A shape with its description and counts.
struct row : counts {
  std::string database;
  std::string collection;
  std::string command;
  std::uint64_t shape_hash = 0;   ///< the shape's hash
  std::string query_shape_hash;   ///< MongoDB's queryShapeHash, 64 hex digits; empty: unknown
  description what;               ///< the facts about the shape
  std::uint64_t error_bound = 0;  ///< `count` may be too low by up to this number, because of
                                  ///< earlier evictions
  fanout_counts fanouts;          ///< commands by number of shards; set by reports only
  execution run;                  ///< documents examined, plans, ...; set by reports only
  bool exceeds_fanout = false;    ///< its commands asked more shards than a gate allows; set by
                                  ///< gates only

  /// The key of this row; a view into it.
  [[nodiscard]] row_key key() const noexcept {
    return {database, collection, command, shape_hash};
  }
  /// "database.collection".
  [[nodiscard]] std::string name_space() const;

  /// Merges a row with the same key. Keeps the description with the worse routing class. If it
  /// throws std::bad_alloc, no counts have changed.
  void add(const row& other);
  /// Replaces the description by `candidate` if `candidate` has a worse routing class, or if
  /// the description has no shape.
  void replace_if_worse(const description& candidate);
  using counts::add;

  friend bool operator==(const row&, const row&) = default;
};

/// Whether class `one` is worse than class `other`, so that it deserves more of a DBA's
/// attention.
[[nodiscard]] bool is_worse(routing::routing_class one, routing::routing_class other) noexcept;

}  // namespace scattergate::digest
