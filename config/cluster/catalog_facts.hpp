#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "wire/label_table.hpp"

namespace scattergate::config {

/// The state of the catalog, which says what is sharded by which key (metric
/// scattergate_catalog_state{state}). A live catalog is read from a cluster and kept up to
/// date. In the states unreachable, unauthorized, not_mongos, bad_uri, empty and failed, its
/// last load failed; everything that was read before the failure stays in use.
enum class catalog_state : std::uint8_t {
  off,           ///< no catalog: every command on a collection has the class `unknown`
  file,          ///< the catalog is a preset or a file
  loading,       ///< the catalog is live, and its first load hasn't ended yet
  live,          ///< the catalog is live, and its last load succeeded
  unreachable,   ///< mongos didn't reply, or not in time
  unauthorized,  ///< wrong credentials, or no privilege to read the database `config`
  not_mongos,    ///< the server isn't a mongos
  bad_uri,       ///< the connection string can't be used
  empty,  ///< the cluster has neither collections nor shards, or all its collections have
          ///< suddenly disappeared
  inconsistent,  ///< the load succeeded, but some collection's chunks contradict each other
  failed,        ///< another error from mongos
};
inline constexpr std::size_t catalog_state_count = wire::enum_count<catalog_state>();
/// The state's label in metrics.
[[nodiscard]] std::string_view label(catalog_state state) noexcept;

/// The result of one load of a live catalog (metric scattergate_catalog_loads_total{result}).
/// `changed`: the load published a new catalog. `unchanged`: there was nothing new to publish.
/// All others: see the catalog_state with the same name.
enum class load_result : std::uint8_t {
  changed,
  unchanged,
  unreachable,
  unauthorized,
  not_mongos,
  bad_uri,
  empty,
  inconsistent,
  failed,
};
inline constexpr std::size_t load_result_count = wire::enum_count<load_result>();
/// The result's label in metrics.
[[nodiscard]] std::string_view label(load_result result) noexcept;

/// Why a live catalog was loaded (metric scattergate_catalog_refresh_triggers_total{trigger}).
enum class load_trigger : std::uint8_t {
  start,       ///< the first load
  timer,       ///< the interval catalog.refresh has passed
  ddl,         ///< a command that changes collections or chunks succeeded
  name_space,  ///< a command named a collection that the catalog doesn't know
  signal,      ///< SIGHUP
  retry,       ///< the previous load failed
  command,     ///< a command waits for it (subcommand `gate`)
};
inline constexpr std::size_t load_trigger_count = wire::enum_count<load_trigger>();
/// The reason's label in metrics.
[[nodiscard]] std::string_view label(load_trigger trigger) noexcept;

/// Why the catalog's chunks (ranges of shard keys) of a sharded collection are missing or
/// outdated. If they are missing, the number of shards that a command asks is unknown. Metric
/// scattergate_catalog_key_only_collections{reason}.
enum class key_only_reason : std::uint8_t {
  not_read,      ///< the chunks haven't been read yet
  max_chunks,    ///< the chunks would exceed catalog.max_chunks or the catalog's memory limit
  inconsistent,  ///< the chunks contradict each other; older chunks, if any, stay in use
};
inline constexpr std::size_t key_only_reason_count = wire::enum_count<key_only_reason>();
/// The reason's label in metrics.
[[nodiscard]] std::string_view label(key_only_reason reason) noexcept;

/// The state of the catalog in use, for metrics and the page. The live catalog's thread writes
/// it. Thread-safety: any thread.
struct catalog_facts {
  std::atomic<catalog_state> state{catalog_state::off};  ///< the current state
  /// Whether the catalog is live. If not, the members below have no meaning.
  std::atomic<bool> is_live{false};
  /// Whether the last successful load was more than five intervals ago. Set by an observer
  /// outside the live catalog's thread, because that thread may hang.
  std::atomic<bool> is_stale{false};
  std::atomic<std::int64_t> refresh_ms{0};  ///< the interval catalog.refresh, in milliseconds
  /// The time of the last successful load (load_result::inconsistent included), in Unix
  /// seconds; 0: never.
  std::atomic<std::int64_t> succeeded_at{0};
  /// The same time by the steady clock, for the age; until then, the start of the live catalog.
  std::atomic<std::chrono::steady_clock::time_point> fresh_at{};
  std::atomic<std::int64_t> load_ns{0};     ///< duration of the last load, in nanoseconds
  std::atomic<std::uint64_t> reads{0};      ///< number of queries and commands sent to mongos
  std::atomic<std::uint64_t> shards{0};     ///< number of shards in the cluster
  std::atomic<std::uint64_t> databases{0};  ///< number of databases in the cluster
  std::atomic<std::uint64_t> skipped_collections{0};  ///< number of unreadable records of
                                                      ///< collections at the last load
  /// The number of unreadable records of chunks at the last load that read chunks
  /// (load_depth::chunks or deeper).
  std::atomic<std::uint64_t> skipped_chunks{0};
  std::array<std::atomic<std::uint64_t>, load_result_count> loads{};  ///< number of loads, by
                                                                      ///< result
  /// Number of loads, by reason.
  std::array<std::atomic<std::uint64_t>, load_trigger_count> triggers{};
  /// Number of collections whose chunks are missing or outdated, by reason.
  std::array<std::atomic<std::uint64_t>, key_only_reason_count> key_only{};

  /// Records a successful load.
  void note_success() noexcept {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    succeeded_at = std::chrono::duration_cast<std::chrono::seconds>(now).count();
    fresh_at = std::chrono::steady_clock::now();
  }
};

}  // namespace scattergate::config
