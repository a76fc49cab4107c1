#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "routing/verdict.hpp"
#include "telemetry/cell.hpp"
#include "telemetry/histogram_cells.hpp"
#include "telemetry/namespace_registry.hpp"
#include "wire/error.hpp"

namespace scattergate::telemetry {

/// What became of a finding.
enum class finding_action : std::uint8_t { observed, accepted, rejected };
inline constexpr std::size_t finding_action_count = 3;
[[nodiscard]] std::string_view label(finding_action action) noexcept;

/// Why a client's connection ended: scattergate_connections_closed_total{reason}.
enum class close_reason : std::uint8_t {
  client_closed,         ///< the client closed, between messages
  client_error,          ///< the client's socket failed, or it closed inside a message
  upstream_unreachable,  ///< mongos could not be reached
  upstream_closed,       ///< mongos closed or failed
  wire_error,            ///< broken framing
  limit,                 ///< a limit of ours
  drained,               ///< closed by a drain
};
inline constexpr std::size_t close_reason_count = 7;
[[nodiscard]] std::string_view label(close_reason reason) noexcept;

/// The counters of one (database, collection) on one worker. Zero cells are not exported.
struct namespace_cells {
  std::array<std::array<cell, routing::routing_class_count>, routing::command_kind_count> commands;
  std::array<std::array<cell, routing::routing_class_count>, routing::command_kind_count>
      statements;
  std::array<std::array<cell, finding_action_count>, routing::reason_count> findings_by_reason
      [routing::command_kind_count];
  cell new_shapes;
  fanout_cells fanout;
};

/// All counters of one worker: written by its thread alone, without locks or allocations
/// (a namespace's first command on this worker excepted), read by the scrape.
/// Thread-safety: the worker's thread writes; the registry's collector reads.
class worker_metrics {
 public:
  explicit worker_metrics(namespace_registry& registry);
  ~worker_metrics();
  worker_metrics(const worker_metrics&) = delete;
  worker_metrics& operator=(const worker_metrics&) = delete;

  /// The id of a namespace that has a label already (the catalog's, and those that a
  /// successful reply has admitted); nothing for any other.
  [[nodiscard]] std::optional<namespace_id> known(std::string_view database,
                                                  std::string_view collection) noexcept;

  /// Gives a namespace its label, where the cap allows; else `__other__`.
  [[nodiscard]] namespace_id admit(std::string_view database, std::string_view collection);

  void count_command(namespace_id ns, routing::command_kind command,
                     routing::routing_class routing) noexcept {
    cells(ns).commands[index(command)][index(routing)].add();
  }
  void count_statements(namespace_id ns, routing::command_kind command,
                        routing::routing_class routing, std::uint64_t statements) noexcept {
    cells(ns).statements[index(command)][index(routing)].add(statements);
  }
  void count_finding(namespace_id ns, routing::command_kind command, routing::reason why,
                     finding_action action) noexcept {
    cells(ns).findings_by_reason[index(command)][index(why)][index(action)].add();
  }
  void observe_fanout(namespace_id ns, std::size_t shards) noexcept {
    cells(ns).fanout.observe(shards);
  }

  void observe_duration(routing::command_kind command, routing::routing_class routing,
                        std::chrono::nanoseconds duration) noexcept {
    durations_[index(command)][index(routing)].observe(duration);
  }
  void observe_inspect(std::chrono::nanoseconds duration) noexcept { inspect_.observe(duration); }

  void count_wire_error(wire::wire_errc error) noexcept { wire_errors_[index(error)].add(); }
  void count_uninspected(wire::wire_errc error) noexcept { uninspected_[index(error)].add(); }
  void count_closed(close_reason reason) noexcept { closed_[index(reason)].add(); }

  cell connections_accepted;
  cell connections_open;           ///< gauge
  cell upstream_connections_open;  ///< gauge
  cell upstream_connect_failures;
  cell request_bytes;   ///< from clients
  cell reply_bytes;     ///< from mongos
  cell checksums_good;
  cell checksums_bad;
  cell scratch_exhausted;
  cell replies_unmatched;  ///< replies that answer no request of ours
  cell rejected_without_reply;  ///< rejected w:0 commands, dropped

 private:
  friend class metrics_collector;
  template <typename Enum>
  static constexpr std::size_t index(Enum value) noexcept {
    return static_cast<std::size_t>(value);
  }
  [[nodiscard]] namespace_cells& cells(namespace_id ns) noexcept {
    return *blocks_[ns].load(std::memory_order_relaxed);
  }
  void open_block(namespace_id ns);

  struct text_pair_hash;
  struct local_index;  // (database, collection) -> namespace_id, this worker's own

  namespace_registry& registry_;
  std::unique_ptr<local_index> index_;
  std::unique_ptr<std::atomic<namespace_cells*>[]> blocks_;  // one per id of the registry
  std::array<std::array<duration_cells, routing::routing_class_count>,
             routing::command_kind_count>
      durations_;
  duration_cells inspect_;
  std::array<cell, wire::wire_errc_count> wire_errors_;
  std::array<cell, wire::wire_errc_count> uninspected_;
  std::array<cell, close_reason_count> closed_;
};

}  // namespace scattergate::telemetry
