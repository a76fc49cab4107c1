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
#include "digest/fanout_counts.hpp"
#include "digest/time_histogram.hpp"
#include "routing/verdict.hpp"

namespace scattergate::digest {

using wall_time = std::chrono::system_clock::time_point;

/// Commands with equal keys share a row: namespace, command and shape. A view.
struct row_key {
  std::string_view database;
  std::string_view collection;
  std::string_view command;
  std::uint64_t shape_hash = 0;
};

/// The description of a shape besides its key and counts. Made when it is first seen, and again
/// when a later command is routed worse.
struct description {
  routing::routing_class routing{};
  routing::bounds_kind bounds{};
  routing::cause why;
  std::string shape_json;      ///< empty: unknown
  std::string shard_key_json;  ///< {"project_id":1,...}; empty: unsharded or unknown
  std::vector<std::string> missing;
  std::vector<std::string> lints;
  std::string suggestion;

  friend bool operator==(const description&, const description&) = default;
};

/// What is known about one command, or about several that a source counts together.
struct sighting {
  std::uint64_t count = 1;
  std::uint64_t errors = 0;
  std::optional<std::uint32_t> fanout;               ///< shards asked by each; empty: unknown
  std::optional<std::chrono::nanoseconds> duration;  ///< total of all of them
  std::chrono::nanoseconds longest{0};               ///< set if count isn't 1
  std::optional<wall_time> first;
  std::optional<wall_time> last;
  std::chrono::nanoseconds resolution{0};  ///< of the durations, e.g. a log's millisecond
};

/// Shard requests of commands with a known fan-out.
struct shard_requests {
  std::uint64_t commands = 0;  ///< number of such commands
  std::uint64_t asked = 0;
  std::uint64_t wasted = 0;  ///< beyond one per command, the cost of a single-shard command
  std::uint32_t most = 0;    ///< maximum per command

  void add(std::uint32_t fanout, std::uint64_t times) noexcept;
  void add(const shard_requests& other) noexcept;
  /// Subtracts an earlier state of this object; `most` stays.
  void subtract(const shard_requests& earlier) noexcept;

  friend bool operator==(const shard_requests&, const shard_requests&) = default;
};

/// The wasted shard requests of commands, `known` of which have a known fan-out. Nothing if no
/// fan-out is known and either some commands might have wasted requests or none was routed.
/// Unsharded collections waste none.
[[nodiscard]] std::optional<std::uint64_t> known_waste(
    std::uint64_t commands,
    std::span<const std::uint64_t, routing::routing_class_count> by_routing,
    std::uint64_t known, std::uint64_t wasted) noexcept;

/// Sums of commands. Mergeable: the result equals counting both together.
struct counts {
  std::uint64_t count = 0;
  std::uint64_t errors = 0;
  std::array<std::uint64_t, routing::routing_class_count> by_routing{};
  shard_requests shards;
  std::chrono::nanoseconds total{0};
  std::chrono::nanoseconds longest{0};
  std::chrono::nanoseconds resolution{0};  ///< the coarsest of the durations
  time_histogram times;                    ///< commands with a known duration of their own
  std::uint64_t timed_together = 0;  ///< commands of which only the total duration is known
  std::optional<wall_time> first_seen;
  std::optional<wall_time> last_seen;
  callers who;

  [[nodiscard]] bool has_times() const noexcept {
    return times.count() != 0 || timed_together != 0;
  }
  /// Whether the histogram includes all commands with a known duration.
  [[nodiscard]] bool has_quantiles() const noexcept {
    return times.count() != 0 && timed_together == 0;
  }

  /// The wasted shard requests; see known_waste().
  [[nodiscard]] std::optional<std::uint64_t> known_waste() const noexcept;

  /// Counts a sighting with this class, without its callers.
  void count_in(const sighting& seen, routing::routing_class routing);
  /// Adds everything, or on bad_alloc nothing.
  void add(const counts& other);

  /// Allocates what adding `other` needs, so that it can't fail.
  void make_room_for(const counts& other);
  /// Adds without allocating: callers count as others, and the distribution of durations is
  /// omitted.
  void add_plainly(const counts& other) noexcept;

  /// Subtracts an earlier state of this object; the rest came since then. The longest duration,
  /// the maximum of shards and the resolution stay, because their times are unknown.
  void subtract(const counts& earlier) noexcept;

  friend bool operator==(const counts&, const counts&) = default;

 private:
  void add_sums(const counts& other) noexcept;  // everything but the durations and callers
};

/// The counts of one shape.
struct row : counts {
  std::string database;
  std::string collection;
  std::string command;
  std::uint64_t shape_hash = 0;
  std::string query_shape_hash;  ///< MongoDB's, 64 hex digits; empty: unknown
  description what;
  std::uint64_t error_bound = 0;  ///< of `count`: the maximum that may have been evicted
                                  ///< earlier
  fanout_counts fanouts;          ///< counted by reports only
  execution run;                  ///< counted by reports only, from logs and profiles

  [[nodiscard]] row_key key() const noexcept {
    return {database, collection, command, shape_hash};
  }
  [[nodiscard]] std::string name_space() const;

  /// Merges another row with the same key; on bad_alloc none of its counts. The worse
  /// description is kept.
  void add(const row& other);
  /// Replaces the description if the new one is worse, or if there was none.
  void note(const description& said);
  using counts::add;

  friend bool operator==(const row&, const row&) = default;
};

/// Whether a class deserves more of a DBA's attention than another one.
[[nodiscard]] bool is_worse(routing::routing_class one, routing::routing_class other) noexcept;

}  // namespace scattergate::digest
