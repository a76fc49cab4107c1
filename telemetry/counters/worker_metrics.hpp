#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "routing/verdict.hpp"
#include "telemetry/counters/cell.hpp"
#include "telemetry/counters/error_code.hpp"
#include "telemetry/counters/exemplars.hpp"
#include "telemetry/counters/histogram_cells.hpp"
#include "telemetry/counters/lazy_block.hpp"
#include "telemetry/counters/marks.hpp"
#include "telemetry/counters/namespace_registry.hpp"
#include "telemetry/counters/rule_hits.hpp"
#include "telemetry/counters/worker_counters.hpp"
#include "wire/enum_count.hpp"
#include "wire/error.hpp"

namespace scattergate::telemetry {

/// What became of a finding.
enum class finding_action : std::uint8_t {
  observed,
  accepted,
  rejected,
  throttled,       ///< a rule holds such commands to a rate
  would_reject,    ///< by a rule that is a dry run; what became of it is another finding
  would_throttle,  ///< likewise
  expired,         ///< observed, as the rule that accepted it holds no more
};
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
  marks<routing::cause_count> causes;
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
  static constexpr std::size_t finding_exemplars = 8;

  marks<routing::command_kind_count> commands;
  std::array<lazy_block<command_cells>, routing::command_kind_count> by_command;
  fanout_cells fanout;
  exemplar_places<finding_exemplars> exemplars;  ///< of findings, by finding_series()
};

/// The number of a series of findings within a namespace.
[[nodiscard]] constexpr std::uint32_t finding_series(std::size_t command, std::size_t why,
                                                     std::size_t action) noexcept {
  return static_cast<std::uint32_t>(
      (command * routing::cause_count + why) * finding_action_count + action);
}

/// The exemplars of one command's scatter-gathers, by the bucket of how long they took.
using duration_exemplars = std::array<exemplar_cell, reply_bounds_ns.size() + 1>;

/// All counters of one worker: written by its thread alone, without locks or allocations
/// (a namespace's first command of a kind, and that kind's first finding, excepted), read by
/// the scrape.
/// Thread-safety: the worker's thread writes; the registry's collector reads.
class worker_metrics : public worker_counters {
 public:
  worker_metrics(namespace_registry& registry, rule_registry& rules);
  ~worker_metrics();
  worker_metrics(const worker_metrics&) = delete;
  worker_metrics& operator=(const worker_metrics&) = delete;

  /// The id of a namespace that has a label already (a successful reply has admitted it, on any
  /// worker); nothing for any other. A hash look-up; the registry is asked only when it has
  /// grown.
  [[nodiscard]] std::optional<namespace_id> known(std::string_view database,
                                                  std::string_view collection);

  /// Commands, statements and findings counted under this id. Any thread may ask.
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

  /// Gives a namespace that only strangers have come to its label, where there is room for such
  /// (namespace_registry); else nothing.
  [[nodiscard]] std::optional<namespace_id> admit_provisional(std::string_view database,
                                                              std::string_view collection);

  /// A known client has come to `ns`: it keeps its label before those of strangers.
  void confirm(namespace_id ns) {
    if (registry_.is_provisional(ns)) [[unlikely]]
      registry_.confirm(ns);
  }

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
    finding_cells& findings = cells(ns, command).findings.open();
    findings.causes.set(why.number());
    findings.by_cause[why.number()][index(action)].add();
  }
  /// Tells of a command that was counted as a finding.
  void show_finding(namespace_id ns, routing::command_kind command, routing::cause why,
                    finding_action action, exemplar one) {
    one.series = finding_series(index(command), why.number(), index(action));
    one.value = 1;
    blocks_[ns].open().exemplars.offer(one);
  }
  /// Tells of a scatter-gather that took `one.value` nanoseconds until its reply.
  void show_scatter(routing::command_kind command, const exemplar& one) {
    const auto bound = std::ranges::lower_bound(reply_bounds_ns, one.value);
    scatters_[index(command)]
        .open()[static_cast<std::size_t>(bound - reply_bounds_ns.begin())]
        .offer(one);
  }
  /// `rule` comes from rules().
  void count_rule_hit(rule_id rule, rule_hit hit) {
    rule_blocks_[rule].open().by_hit[index(hit)].add();
  }
  [[nodiscard]] rule_registry& rules() noexcept { return rules_; }
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

  /// An error of mongos's.
  void count_error(routing::command_kind command, std::int32_t code) noexcept {
    errors_[index(command)][error_place(code)].add();
  }
  void count_wire_error(wire::wire_errc error) noexcept { wire_errors_[index(error)].add(); }
  void count_uninspected(wire::wire_errc error) noexcept { uninspected_[index(error)].add(); }
  void count_checksum(bool is_good) noexcept {
    checksums_verified.add();
    if (!is_good) checksum_failures.add();
  }
  void count_closed(close_reason reason) noexcept { closed_[index(reason)].add(); }

 private:
  friend class worker_sums;  // both read all of it for the scrape
  friend class worker_totals;

  template <typename Enum>
  static constexpr std::size_t index(Enum value) noexcept {
    return static_cast<std::size_t>(value);
  }
  [[nodiscard]] command_cells& cells(namespace_id ns, routing::command_kind command) {
    namespace_cells& block = blocks_[ns].open();
    lazy_block<command_cells>& of = block.by_command[index(command)];
    if (of.get() == nullptr) block.commands.set(index(command));
    return of.open();
  }
  [[nodiscard]] std::optional<namespace_id> look_up(std::string_view database,
                                                    std::string_view collection) const;
  void learn_new_namespaces();

  namespace_registry& registry_;
  rule_registry& rules_;
  namespace_map ids_;            // this worker's copy of what the registry has given
  std::uint64_t learnt_ = 0;     // the version of the registry's in which they came
  std::uint64_t let_go_at_ = 0;  // the one up to which those that leave have been seen to
  std::unique_ptr<std::uint32_t[]> under_way_;  // commands, by id
  cell namespace_overflow_;  // commands turned away without asking the registry
  std::unique_ptr<lazy_block<namespace_cells>[]> blocks_;  // one per id of the registry
  std::unique_ptr<lazy_block<rule_cells>[]> rule_blocks_;  // likewise
  std::array<std::array<duration_cells, routing::routing_class_count>,
             routing::command_kind_count>
      durations_;
  std::array<lazy_block<duration_exemplars>, routing::command_kind_count> scatters_;
  std::array<std::array<cell, max_error_places>, routing::command_kind_count> errors_;
  inspect_cells inspect_;
  std::array<cell, wire::wire_errc_count> wire_errors_;
  std::array<cell, wire::wire_errc_count> uninspected_;
  std::array<cell, close_reason_count> closed_;
};

}  // namespace scattergate::telemetry
