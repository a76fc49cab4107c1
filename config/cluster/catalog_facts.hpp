#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "wire/enum_count.hpp"

namespace scattergate::config {

/// The catalog's state: scattergate_catalog_state{state}. In the states from `unreachable` on,
/// except `inconsistent`, the last load failed, and the previous catalog stays in use.
enum class catalog_state : std::uint8_t {
  off,           ///< no catalog: every command on a collection is unknown
  file,          ///< a preset or a file
  loading,       ///< a live catalog whose first load hasn't ended yet
  live,          ///< a live catalog whose last load succeeded
  unreachable,   ///< no reply, or not in time
  unauthorized,  ///< wrong credentials, or no right to read the config database
  not_mongos,    ///< the server isn't a mongos
  bad_uri,       ///< the connection string can't be used
  empty,  ///< the cluster has neither collections nor shards, or all its collections have
          ///< suddenly disappeared
  inconsistent,  ///< the load succeeded, but some collection's chunks contradict each other
  failed,        ///< another error from mongos
};
inline constexpr std::size_t catalog_state_count = wire::enum_count<catalog_state>();
[[nodiscard]] std::string_view label(catalog_state state) noexcept;

/// The result of loading a live catalog: scattergate_catalog_loads_total{result}. `changed`: it
/// published a new catalog. For the failures, see the catalog_state of the same name.
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
[[nodiscard]] std::string_view label(load_result result) noexcept;

/// The reason for loading a live catalog: scattergate_catalog_refresh_triggers_total{trigger}.
enum class load_trigger : std::uint8_t {
  start,       ///< the first load
  timer,       ///< catalog.refresh has passed
  ddl,         ///< a command that changes collections or chunks succeeded
  name_space,  ///< a command named a collection that the catalog doesn't know
  signal,      ///< SIGHUP
  retry,       ///< the previous load failed
};
inline constexpr std::size_t load_trigger_count = wire::enum_count<load_trigger>();
[[nodiscard]] std::string_view label(load_trigger trigger) noexcept;

/// The reason why a sharded collection's chunks aren't in the catalog:
/// scattergate_catalog_key_only_collections{reason}.
enum class key_only_reason : std::uint8_t {
  not_read,      ///< not yet
  max_chunks,    ///< they would exceed catalog.max_chunks
  inconsistent,  ///< they contradict each other
};
inline constexpr std::size_t key_only_reason_count = wire::enum_count<key_only_reason>();
[[nodiscard]] std::string_view label(key_only_reason reason) noexcept;

/// A live catalog's published state. Thread-safety: any thread.
struct catalog_facts {
  std::atomic<catalog_state> state{catalog_state::off};
  /// Whether the catalog is live. If not, the members below have no meaning.
  std::atomic<bool> is_live{false};
  std::atomic<std::int64_t> refresh_ms{0};  ///< catalog.refresh
  /// The time of the last successful load, in Unix seconds; 0: never.
  std::atomic<std::int64_t> succeeded_at{0};
  std::atomic<std::int64_t> load_ns{0};               ///< how long the last load took
  std::atomic<std::uint64_t> reads{0};                ///< number of queries and commands sent
  std::atomic<std::uint64_t> shards{0};               ///< number of shards in the cluster
  std::atomic<std::uint64_t> databases{0};            ///< number of databases in the cluster
  std::atomic<std::uint64_t> skipped_collections{0};  ///< unreadable records at the last load
  std::atomic<std::uint64_t> skipped_chunks{0};  ///< unreadable records at the last load of
                                                 ///< chunks
  std::array<std::atomic<std::uint64_t>, load_result_count> loads{};
  std::array<std::atomic<std::uint64_t>, load_trigger_count> triggers{};
  std::array<std::atomic<std::uint64_t>, key_only_reason_count> key_only{};
};

}  // namespace scattergate::config
