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

/// What makes two commands the same row: namespace, command and shape. A view.
struct row_key {
  std::string_view database;
  std::string_view collection;
  std::string_view command;
  std::uint64_t shape_hash = 0;
};

/// What is said of a shape beside its key and its counts; made once, when it is seen first, and
/// again when a later command of the shape is routed worse.
struct description {
  routing::routing_class routing{};
  routing::bounds_kind bounds{};
  routing::cause why;
  std::string shape_json;      ///< empty: not known
  std::string shard_key_json;  ///< {"project_id":1,...}; empty: not sharded, or not known
  std::vector<std::string> missing;
  std::vector<std::string> lints;
  std::string suggestion;

  friend bool operator==(const description&, const description&) = default;
};

/// What is known of one command, or of several that a source counts as one.
struct sighting {
  std::uint64_t count = 1;
  std::uint64_t errors = 0;
  std::optional<std::uint32_t> fanout;  ///< shards asked by each; nothing: not known
  std::optional<std::chrono::nanoseconds> duration;  ///< of all of them together
  std::chrono::nanoseconds longest{0};               ///< where count isn't 1
  std::optional<wall_time> first;
  std::optional<wall_time> last;
  std::chrono::nanoseconds resolution{0};  ///< of the durations: a log's millisecond
};

/// Shard requests of commands whose fan-out is known.
struct shard_requests {
  std::uint64_t commands = 0;  ///< whose fan-out is known
  std::uint64_t asked = 0;
  std::uint64_t wasted = 0;  ///< beyond the one that a command on one shard would have cost
  std::uint32_t most = 0;    ///< for one command

  void add(std::uint32_t fanout, std::uint64_t times) noexcept;
  void add(const shard_requests& other) noexcept;
  /// Takes away what an earlier state of these had; the most stays.
  void subtract(const shard_requests& earlier) noexcept;

  friend bool operator==(const shard_requests&, const shard_requests&) = default;
};

/// The shard requests that commands wasted, of `known` of which the fan-out is known. Nothing
/// where that says nothing: the fan-out of none is known, and either some were routed that
/// might have wasted any, or none was routed at all. What isn't sharded wastes nothing.
[[nodiscard]] std::optional<std::uint64_t> known_waste(
    std::uint64_t commands,
    std::span<const std::uint64_t, routing::routing_class_count> by_routing,
    std::uint64_t known, std::uint64_t wasted) noexcept;

/// What commands add up to. Mergeable: adding two is the same as having counted both.
struct counts {
  std::uint64_t count = 0;
  std::uint64_t errors = 0;
  std::array<std::uint64_t, routing::routing_class_count> by_routing{};
  shard_requests shards;
  std::chrono::nanoseconds total{0};
  std::chrono::nanoseconds longest{0};
  std::chrono::nanoseconds resolution{0};  ///< the coarsest of the durations
  time_histogram times;                    ///< of commands whose own time is known
  std::uint64_t timed_together = 0;        ///< commands of which only the sum is known
  std::optional<wall_time> first_seen;
  std::optional<wall_time> last_seen;
  callers who;

  [[nodiscard]] bool has_times() const noexcept {
    return times.count() != 0 || timed_together != 0;
  }
  /// Whether the histogram has all whose time is known.
  [[nodiscard]] bool has_quantiles() const noexcept {
    return times.count() != 0 && timed_together == 0;
  }

  /// The shard requests wasted; see known_waste().
  [[nodiscard]] std::optional<std::uint64_t> known_waste() const noexcept;

  /// Counts what was sighted, routed as `routing`; not who sent it.
  void count_in(const sighting& seen, routing::routing_class routing);
  /// All of it, or, where memory fails it, nothing.
  void add(const counts& other);

  /// Makes room for adding others, which takes no memory then.
  void make_room_for(const counts& other);
  /// Adds what takes no memory: who sent them counts as others, and how their times are spread
  /// is left out.
  void add_plainly(const counts& other) noexcept;

  /// Takes away what an earlier state of these had: what is left came since. The longest time,
  /// the most shards and the resolution stay, as nothing says when they were.
  void subtract(const counts& earlier) noexcept;

  friend bool operator==(const counts&, const counts&) = default;

 private:
  void add_sums(const counts& other) noexcept;  // all but the times and who sent them
};

/// What came of one shape.
struct row : counts {
  std::string database;
  std::string collection;
  std::string command;
  std::uint64_t shape_hash = 0;
  std::string query_shape_hash;  ///< MongoDB's own, 64 hex digits; empty: not known
  description what;
  std::uint64_t error_bound = 0;  ///< of `count`: so many more may have gone before
  fanout_counts fanouts;          ///< as far as a report counts them; a daemon doesn't
  execution run;                  ///< likewise, from logs and profiles

  [[nodiscard]] row_key key() const noexcept {
    return {database, collection, command, shape_hash};
  }
  [[nodiscard]] std::string name_space() const;

  /// Adds all that another row of the same key has counted, or, where memory fails it, none of
  /// its counts; the worse description stands.
  void add(const row& other);
  /// Takes what is said of it, where that is worse than what was said, or nothing was.
  void note(const description& said);
  using counts::add;

  friend bool operator==(const row&, const row&) = default;
};

/// Whether a class asks for more of a DBA's attention than another.
[[nodiscard]] bool is_worse(routing::routing_class one, routing::routing_class other) noexcept;

}  // namespace scattergate::digest
