#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "routing/verdict.hpp"
#include "telemetry/counters/cell.hpp"
#include "telemetry/counters/histogram_cells.hpp"
#include "telemetry/counters/lazy_block.hpp"
#include "telemetry/counters/namespace_registry.hpp"
#include "telemetry/counters/worker_counters.hpp"
#include "wire/enum_count.hpp"
#include "wire/error.hpp"

namespace scattergate::telemetry {

/// What became of a finding.
enum class finding_action : std::uint8_t { observed, accepted, rejected };
inline constexpr std::size_t finding_action_count = wire::enum_count<finding_action>();
[[nodiscard]] std::string_view label(finding_action action) noexcept;

/// Why a client's connection ended: scattergate_connections_closed_total{reason}.
enum class close_reason : std::uint8_t {
  client_closed,         ///< the client closed, between messages
  client_error,          ///< the client's socket failed, or it closed inside a message
  upstream_unreachable,  ///< mongos could not be reached
  upstream_closed,       ///< mongos closed or failed
  upstream_left,         ///< the other connections went over to another mongos
  wire_error,            ///< broken framing
  tls_failed,            ///< the client's TLS handshake failed
  limit,                 ///< too many connections, or too large a message
  first_message,         ///< the first message took longer than limits.first_message
  message,               ///< a message took longer than limits.message
  idle,                  ///< nothing came for limits.idle
  x509,                  ///< a message may have been MONGODB-X509 where we terminate TLS
  no_memory,             ///< an allocation failed
  drained,               ///< closed by a drain
};
inline constexpr std::size_t close_reason_count = wire::enum_count<close_reason>();
[[nodiscard]] std::string_view label(close_reason reason) noexcept;

/// The findings of one command in one namespace.
struct finding_cells {
  std::array<std::array<cell, finding_action_count>, routing::cause_count> by_cause;
};

/// The counters of one command in one namespace.
struct command_cells {
  std::array<cell, routing::routing_class_count> commands;
  std::array<cell, routing::routing_class_count> statements;
  lazy_block<finding_cells> findings;
};

/// The counters of one (database, collection) on one worker. Most commands are never sent to
/// most collections: what isn't used isn't there. Zero cells are not exported.
struct namespace_cells {
  std::array<lazy_block<command_cells>, routing::command_kind_count> by_command;
  fanout_cells fanout;
};

/// All counters of one worker: written by its thread alone, without locks or allocations
/// (a namespace's first command of a kind, and that kind's first finding, excepted), read by
/// the scrape.
/// Thread-safety: the worker's thread writes; the registry's collector reads.
class worker_metrics : public worker_counters {
 public:
  explicit worker_metrics(namespace_registry& registry);
  ~worker_metrics();
  worker_metrics(const worker_metrics&) = delete;
  worker_metrics& operator=(const worker_metrics&) = delete;

  /// The id of a namespace that has a label already (a successful reply has admitted it, on any
  /// worker); nothing for any other. A hash look-up; the registry is asked only when it has
  /// grown.
  [[nodiscard]] std::optional<namespace_id> known(std::string_view database,
                                                  std::string_view collection);

  /// How many commands have been counted under this id. Any thread may ask.
  [[nodiscard]] std::uint64_t counted(namespace_id ns) const noexcept;

  /// A command that will be counted under `ns` has begun, or has been: in between its id is not
  /// let go of.
  void begin(namespace_id ns) noexcept { ++under_way_[ns]; }
  void end(namespace_id ns) noexcept { --under_way_[ns]; }

  /// Lets go of the ids that are to be given back, but for those of commands under way; to be
  /// called now and then. True where any went: what known() and admit() gave before mustn't be
  /// kept any longer, unless begin() holds it.
  bool let_go_of_quiet();

  /// Ends what was counted under an id that all workers have let go of.
  /// REQUIRES: nobody reads it.
  void close(namespace_id ns) noexcept { blocks_[ns].close(); }

  /// Gives a namespace its label, where the cap allows; else `__other__`, which is counted in
  /// scattergate_series_overflow_total.
  [[nodiscard]] namespace_id admit(std::string_view database, std::string_view collection);

  // `ns` comes from known() or admit() of this worker, or is other_namespace. A block that
  // can't be opened throws std::bad_alloc.

  void count_command(namespace_id ns, routing::command_kind command,
                     routing::routing_class routing) {
    cells(ns, command).commands[index(routing)].add();
  }
  void count_statements(namespace_id ns, routing::command_kind command,
                        routing::routing_class routing, std::uint64_t statements) {
    cells(ns, command).statements[index(routing)].add(statements);
  }
  void count_finding(namespace_id ns, routing::command_kind command, routing::cause why,
                     finding_action action) {
    cells(ns, command).findings.open().by_cause[why.number()][index(action)].add();
  }
  void observe_fanout(namespace_id ns, std::size_t shards) {
    blocks_[ns].open().fanout.observe(std::uint64_t{shards});
  }

  void observe_duration(routing::command_kind command, routing::routing_class routing,
                        std::chrono::nanoseconds duration) noexcept {
    durations_[index(command)][index(routing)].observe(duration);
  }
  void observe_inspect(std::chrono::nanoseconds duration) noexcept {
    inspect_.observe(duration);
  }

  void count_wire_error(wire::wire_errc error) noexcept { wire_errors_[index(error)].add(); }
  void count_uninspected(wire::wire_errc error) noexcept { uninspected_[index(error)].add(); }
  void count_checksum(bool is_good) noexcept {
    checksums_verified.add();
    if (!is_good) checksum_failures.add();
  }
  void count_closed(close_reason reason) noexcept { closed_[index(reason)].add(); }

 private:
  friend class worker_totals;  // reads all of it for the scrape

  template <typename Enum>
  static constexpr std::size_t index(Enum value) noexcept {
    return static_cast<std::size_t>(value);
  }
  [[nodiscard]] command_cells& cells(namespace_id ns, routing::command_kind command) {
    return blocks_[ns].open().by_command[index(command)].open();
  }
  [[nodiscard]] std::optional<namespace_id> look_up(std::string_view database,
                                                    std::string_view collection) const;
  void learn_new_namespaces();

  namespace_registry& registry_;
  namespace_map ids_;            // this worker's copy of what the registry has given
  std::uint64_t learnt_ = 0;     // the version of the registry's in which they came
  std::uint64_t let_go_at_ = 0;  // the one up to which those that leave have been seen to
  std::unique_ptr<std::uint32_t[]> under_way_;  // commands, by id
  cell namespace_overflow_;  // commands turned away without asking the registry
  std::unique_ptr<lazy_block<namespace_cells>[]> blocks_;  // one per id of the registry
  std::array<std::array<duration_cells, routing::routing_class_count>,
             routing::command_kind_count>
      durations_;
  inspect_cells inspect_;
  std::array<cell, wire::wire_errc_count> wire_errors_;
  std::array<cell, wire::wire_errc_count> uninspected_;
  std::array<cell, close_reason_count> closed_;
};

}  // namespace scattergate::telemetry
