#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "digest/execution.hpp"
#include "routing/verdict.hpp"
#include "telemetry/counters/cells.hpp"
#include "telemetry/counters/namespace_registry.hpp"
#include "telemetry/counters/rule_hits.hpp"
#include "wire/error.hpp"
#include "wire/label_table.hpp"

namespace scattergate::telemetry {

/// Maps an error code of MongoDB to an index for counters: metrics count some codes by name,
/// each with its own index, and all other codes under 0 (`other`).
[[nodiscard]] std::size_t error_place(std::int32_t code) noexcept;

/// The number of indexes that error_place() returns, including 0.
extern const std::size_t error_places;
/// An upper bound of error_places, for arrays.
inline constexpr std::size_t max_error_places = 64;

/// The name for metrics of the error codes with this index: MongoDB's name of the code
/// (wire/server_error.hpp), or `other` for 0.
[[nodiscard]] std::string_view error_name(std::size_t place) noexcept;

/// A worker's counters for metrics without labels of their own. Each counter has a row in
/// metric_list, which the compiler checks. All count since the start, except for gauges.
/// Thread-safety: the worker's thread writes, any thread reads.
struct worker_counters {
  cell connections_accepted;  ///< client connections
  cell accept_failures;   ///< failed calls of accept(), for lack of file descriptors or memory;
                          ///< accepting then pauses
  cell connections_open;  ///< gauge
  cell connections_handed_over;    ///< client connections accepted here, and passed to a worker
                                   ///< with fewer connections
  cell upstream_connections_open;  ///< gauge
  cell upstream_connect_failures;  ///< failed attempts to connect to mongos
  cell request_bytes;              ///< bytes received from clients
  cell reply_bytes;                ///< bytes received from mongos
  cell checksums_verified;         ///< requests whose CRC-32C was checked
  cell checksum_failures;          ///< requests whose CRC-32C was wrong
  cell scratch_exhausted;   ///< verdicts (predicted routing) that may name too many shards,
                            ///< because judging reached its limit of memory or work
  cell verdicts_abandoned;  ///< verdicts left incomplete, because judging reached its limit of
                            ///< work
  cell verdicts_outdated;   ///< commands that count as `unknown`, because the catalog was
                            ///< outdated
  cell shapes_abandoned;    ///< shapes (commands without values) left incomplete, because
                            ///< computing them reached the limit of work
  cell replies_unmatched;   ///< replies without a matching request
  cell rejected_without_reply;  ///< rejected commands that request no reply (such as w: 0), so
                                ///< that scattergate drops them without an error
  cell throttle_waiting;  ///< gauge: commands waiting in the queue of a rule that throttles
  cell x509_rejected;     ///< commands rejected because they authenticate by MONGODB-X509 on a
                          ///< connection whose TLS scattergate terminates
  cell x509_closed;       ///< connections closed because a message might authenticate by
                          ///< MONGODB-X509
};

/// A bitmap over `Size` counters, with which readers skip counters that are zero. The writer
/// sets a counter's bit when it first counts there. Thread-safety: call set() from one thread
/// at a time, add_to() from any; add_to() may miss concurrent calls of set().
template <std::size_t Size>
class marks {
 public:
  /// Sets the bit of the counter at this index.
  void set(std::size_t at) noexcept {
    std::atomic<std::uint64_t>& word = words_[at / bits];
    const std::uint64_t bit = std::uint64_t{1} << (at % bits);
    const std::uint64_t had = word.load(std::memory_order_relaxed);
    if ((had & bit) == 0) word.store(had | bit, std::memory_order_relaxed);
  }

  /// Sets all bits in `others` that are set here.
  void add_to(std::array<std::uint64_t, (Size + 63) / 64>& others) const noexcept {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      others[i] |= words_[i].load(std::memory_order_relaxed);
    }
  }

 private:
  static constexpr std::size_t bits = 64;
  std::array<std::atomic<std::uint64_t>, (Size + bits - 1) / bits> words_{};
};

/// The union of the bitmaps (marks) of several writers. Thread-safety: one thread.
template <std::size_t Size>
class merged_marks {
 public:
  /// Adds the set bits of another bitmap.
  void add(const marks<Size>& more) noexcept { more.add_to(words_); }

  /// Calls `use(index)` for each set bit, in ascending order.
  template <typename Use>
  void for_each(const Use& use) const {
    constexpr std::size_t bits = 64;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (std::uint64_t left = words_[i]; left != 0; left &= left - 1) {
        use(i * bits + static_cast<std::size_t>(std::countr_zero(left)));
      }
    }
  }

 private:
  std::array<std::uint64_t, (Size + 63) / 64> words_{};
};

/// A block of counters that is allocated on first use, so that an unused block costs only a
/// pointer. Has a single writer, which allocates it. Thread-safety: call open() from the writer
/// and get() from any thread; close() only while no thread uses the block.
template <typename Block>
class lazy_block {
 public:
  lazy_block() = default;
  ~lazy_block() { delete block_.load(std::memory_order_relaxed); }
  lazy_block(const lazy_block&) = delete;
  lazy_block& operator=(const lazy_block&) = delete;

  /// Returns the block; the first call allocates it, with zeros. Throws std::bad_alloc.
  [[nodiscard]] Block& open() {
    Block* block = block_.load(std::memory_order_relaxed);
    if (block == nullptr) {
      block = new Block();
      block_.store(block, std::memory_order_release);
    }
    return *block;
  }

  /// The block, or null before the first open().
  [[nodiscard]] const Block* get() const noexcept {
    return block_.load(std::memory_order_acquire);
  }

  /// Deletes the block; the next open() allocates a new block.
  void close() noexcept { delete block_.exchange(nullptr, std::memory_order_acq_rel); }

 private:
  std::atomic<Block*> block_{nullptr};
};

using digest::finding_action;
using digest::finding_action_count;

/// Why a client connection ended: scattergate_connections_closed_total{reason}.
enum class close_reason : std::uint8_t {
  client_closed,         ///< the client closed the connection, between messages
  client_error,          ///< the client's socket failed, or the client closed inside a message
  upstream_unreachable,  ///< no mongos could be reached
  out_of_resources,      ///< this process or host was out of file descriptors, ports or memory
                         ///< for the connection to mongos
  upstream_closed,       ///< mongos closed the connection, or it failed
  upstream_left,         ///< scattergate closed the connection because of a failover to another
                         ///< mongos
  wire_error,            ///< the client or mongos violated the wire protocol
  tls_failed,            ///< the client's TLS handshake failed
  limit,                 ///< too many connections, or a message that is too large
  first_message,         ///< the first message took longer than limits.first_message
  message,               ///< a message took longer than limits.message
  idle,                  ///< no data came for the time limits.idle
  x509,       ///< a message might authenticate by MONGODB-X509, and scattergate terminates TLS
  no_memory,  ///< an allocation failed
  drained,    ///< scattergate closed the connection, because the daemon ends or restarts
};
inline constexpr std::size_t close_reason_count = wire::enum_count<close_reason>();
/// The reason's label in metrics.
[[nodiscard]] std::string_view label(close_reason reason) noexcept;

/// The counters of one command kind's findings (commands to report, such as scatters) in one
/// namespace.
struct finding_cells {
  marks<routing::cause_count> causes;  ///< causes with nonzero counters
  /// By cause and action.
  std::array<std::array<cell, finding_action_count>, routing::cause_count> by_cause;
};

/// The counters of one command kind in one namespace.
struct command_cells {
  std::array<cell, routing::routing_class_count> commands;    ///< by routing class
  std::array<cell, routing::routing_class_count> statements;  ///< by routing class
  lazy_block<finding_cells> findings;  ///< allocated at the first finding
};

/// A worker's counters of one namespace (database and collection). The counters of a command
/// kind are allocated on first use, because most collections use few kinds. Metrics omit
/// counters that are zero.
struct namespace_cells {
  static constexpr std::size_t finding_exemplars = 8;  ///< maximum number of series with an
                                                       ///< exemplar (an example command)

  marks<routing::command_kind_count> commands;  ///< kinds that have counters
  std::array<lazy_block<command_cells>, routing::command_kind_count> by_command;
  fanout_cells fanout;                           ///< by number of shards reached
  exemplar_places<finding_exemplars> exemplars;  ///< by finding_series()
};

/// The number that identifies a series of findings within a namespace, for exemplar::series.
[[nodiscard]] constexpr std::uint32_t finding_series(std::size_t command, std::size_t why,
                                                     std::size_t action) noexcept {
  return static_cast<std::uint32_t>(
      (command * routing::cause_count + why) * finding_action_count + action);
}

/// Exemplars of one command kind's scatter-gathers, one per bucket of reply_bounds_ns.
using duration_exemplars = std::array<exemplar_cell, reply_bounds_ns.size() + 1>;

/// All counters of one worker. Counting takes no locks. It allocates only for a namespace's
/// first command of a kind, and for the first finding (command to report) of that kind.
/// Thread-safety: the worker's thread writes; metrics_collector reads.
class worker_metrics : public worker_counters {
 public:
  /// Both arguments must outlive this object.
  worker_metrics(namespace_registry& registry, rule_registry& rules);
  ~worker_metrics();
  worker_metrics(const worker_metrics&) = delete;
  worker_metrics& operator=(const worker_metrics&) = delete;

  /// The ID of a namespace, if any worker has already got one for it by admit() or
  /// admit_provisional(); otherwise std::nullopt. Does a hash lookup; asks the registry only if
  /// namespace_registry::version() has changed.
  [[nodiscard]] std::optional<namespace_id> known(std::string_view database,
                                                  std::string_view collection);

  /// The sum of the commands, statements and findings counted under this ID; a change shows
  /// that the namespace is in use. Any thread may call it.
  [[nodiscard]] std::uint64_t counted(namespace_id ns) const noexcept;

  /// Marks the start of a command that will count under `ns`. The ID stays valid until end(ns).
  void begin(namespace_id ns) noexcept { ++under_way_[ns]; }
  /// Marks the end of a command for which begin(ns) was called.
  void end(namespace_id ns) noexcept { --under_way_[ns]; }

  /// Releases the IDs that the registry is evicting, except IDs that a pending command uses:
  /// begin() was called, end() wasn't. Call it periodically. Returns true if it released any.
  /// IDs that no pending command uses may then be invalid: ask known() again.
  bool release_leaving();

  /// Deletes the counters of an ID that all workers have released. REQUIRES: no thread reads
  /// them.
  void close(namespace_id ns) noexcept { blocks_[ns].close(); }

  /// The ID of a namespace that a known client uses. Assigns one, and with it metric labels, if
  /// necessary. If there is no room, returns other_namespace, and counts the command in
  /// scattergate_series_overflow_total.
  [[nodiscard]] namespace_id admit(std::string_view database, std::string_view collection);

  /// The ID of a namespace that a stranger (a client not known yet) uses. Assigns one if
  /// necessary; it is provisional: limited in number, and evicted first (see
  /// namespace_registry). std::nullopt if there is no room.
  [[nodiscard]] std::optional<namespace_id> admit_provisional(std::string_view database,
                                                              std::string_view collection);

  /// Makes the ID `ns` ordinary instead of provisional. Call it when a known client has used
  /// the namespace.
  void confirm(namespace_id ns) {
    if (registry_.is_provisional(ns)) [[unlikely]]
      registry_.confirm(ns);
  }

  // REQUIRES, in the functions below: `ns` comes from known(), admit() or admit_provisional()
  // of this worker, or is a shared ID, such as other_namespace.

  /// Counts a command. Throws std::bad_alloc.
  void count_command(namespace_id ns, routing::command_kind command,
                     routing::routing_class routing) {
    cells(ns, command).commands[index(routing)].add();
  }
  /// Counts the statements of a command. Throws std::bad_alloc.
  void count_statements(namespace_id ns, routing::command_kind command,
                        routing::routing_class routing, std::uint64_t statements) {
    cells(ns, command).statements[index(routing)].add(statements);
  }
  /// Counts a finding (a command to report) by its cause, and by what rules did with it. Throws
  /// std::bad_alloc.
  void count_finding(namespace_id ns, routing::command_kind command, routing::cause why,
                     finding_action action) {
    finding_cells& findings = cells(ns, command).findings.open();
    findings.causes.set(why.number());
    findings.by_cause[why.number()][index(action)].add();
  }
  /// Offers a finding as an exemplar (an example) of its series. Sets `one.series` and
  /// `one.value`. Throws std::bad_alloc.
  void show_finding(namespace_id ns, routing::command_kind command, routing::cause why,
                    finding_action action, exemplar one) {
    one.series = finding_series(index(command), why.number(), index(action));
    one.value = 1;
    blocks_[ns].open().exemplars.offer(one);
  }
  /// Offers a scatter-gather (a command sent to all shards) as an exemplar of its duration
  /// bucket. `one.value`: nanoseconds from the command to its reply. Throws std::bad_alloc.
  void show_scatter(routing::command_kind command, const exemplar& one) {
    const auto bound = std::ranges::lower_bound(reply_bounds_ns, one.value);
    scatters_[index(command)]
        .open()[static_cast<std::size_t>(bound - reply_bounds_ns.begin())]
        .offer(one);
  }
  /// Counts a rule's hit. REQUIRES: `rule` comes from rules(). Throws std::bad_alloc.
  void count_rule_hit(rule_id rule, rule_hit hit) {
    rule_blocks_[rule].open().by_hit[index(hit)].add();
  }
  /// The registry of rules that all workers share.
  [[nodiscard]] rule_registry& rules() noexcept { return rules_; }
  /// Counts a command by the number of shards that it is expected to reach. Throws
  /// std::bad_alloc.
  void observe_fanout(namespace_id ns, std::size_t shards) {
    blocks_[ns].open().fanout.observe(std::uint64_t{shards});
  }

  /// Counts the time from a command's last byte to the first byte of its reply.
  void observe_duration(routing::command_kind command, routing::routing_class routing,
                        std::chrono::nanoseconds duration) noexcept {
    durations_[index(command)][index(routing)].observe(duration);
  }
  /// Counts scattergate's own time to judge a command.
  void observe_inspect(std::chrono::nanoseconds duration) noexcept {
    inspect_.observe(duration);
  }

  /// Counts an error reply from mongos.
  void count_error(routing::command_kind command, std::int32_t code) noexcept {
    errors_[index(command)][error_place(code)].add();
  }
  /// Counts a violation of the wire protocol, by the client or mongos, that closed a client
  /// connection.
  void count_wire_error(wire::wire_errc error) noexcept { wire_errors_[index(error)].add(); }
  /// Counts a message that scattergate can't read and that it forwards unchanged or rejects.
  void count_uninspected(wire::wire_errc error) noexcept { uninspected_[index(error)].add(); }
  /// Counts a request whose CRC-32C was checked.
  void count_checksum(bool is_good) noexcept {
    checksums_verified.add();
    if (!is_good) checksum_failures.add();
  }
  /// Counts a client connection that ended.
  void count_closed(close_reason reason) noexcept { closed_[index(reason)].add(); }

 private:
  friend class worker_sums;  // reads everything for the scrape
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
  namespace_map ids_;                // this worker's copy of the registry's ids
  std::uint64_t known_version_ = 0;  // the registry's version that `ids_` copies
  std::uint64_t released_at_ = 0;    // the registry's version up to which evictions are handled
  std::unique_ptr<std::uint32_t[]> under_way_;  // commands under way, by id
  cell namespace_overflow_;  // commands counted as `__other__` without asking the registry
  std::unique_ptr<lazy_block<namespace_cells>[]> blocks_;  // by namespace id
  std::unique_ptr<lazy_block<rule_cells>[]> rule_blocks_;  // by rule id
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
