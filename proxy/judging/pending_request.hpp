#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "proxy/judging/identity_claim.hpp"
#include "proxy/throttle/throttle.hpp"
#include "proxy/upstream/cursor_table.hpp"
#include "routing/verdict.hpp"
#include "telemetry/counters/worker_metrics.hpp"
#include "telemetry/shapes/shape_table.hpp"
#include "wire/reply_scan.hpp"
#include "wire/trace_context.hpp"

namespace scattergate::proxy {

using clock = std::chrono::steady_clock;

/// The result of judging a command, as needed to count the command when it completes.
struct judgement {
  routing::command_kind command{};
  routing::routing_class routing{};
  routing::bounds_kind bounds{};
  routing::reason why{};
  routing::cause finding_reason;       ///< for a finding
  telemetry::finding_action action{};  ///< for a finding
  bool is_finding = false;
  bool may_open_cursor = false;     ///< its reply may contain a cursor's id
  bool has_fanout = false;          ///< `fanout` is known
  bool may_change_catalog = false;  ///< if it succeeds, the live catalog may have to reload;
                                    ///< false without a live catalog
  bool is_unreadable = false;       ///< its message can't be parsed; all messages with the same
                                    ///< error share one shape
  bool is_on_collection = false;    ///< it is routed to a collection, so its success proves
                                    ///< that mongos has authorized the client
  std::uint32_t fanout = 0;         ///< number of shards that it asks, if `has_fanout`
  /// Its class and number of shards, for the digest.
  telemetry::destination digest_destination;
  std::uint64_t shape_hash = 0;  ///< for a getMore: the shape of the command that opened its
                                 ///< cursor
  std::array<std::uint32_t, routing::routing_class_count> statements{};  ///< number of its
                                                                         ///< statements on
                                                                         ///< `ns`, by class
  std::optional<telemetry::namespace_id> ns;  ///< its namespace's metric label; empty: the
                                              ///< namespace has none yet
  std::optional<telemetry::namespace_id> finding_ns;  ///< the label of the finding's namespace,
                                                      ///< if that is another one
  std::optional<telemetry::rule_id> rule;             ///< the rule that decided; empty: none
};

/// What a dry-run rule would have done with a command.
struct dry_finding {
  telemetry::finding_action action{};
  routing::cause why;
};

/// A bulkWrite's statements on one of its further namespaces. The bulkWrite itself counts under
/// one namespace only, judgement::ns.
struct statements_elsewhere {
  std::optional<telemetry::namespace_id> ns;  ///< the namespace's metric label; empty: it has
                                              ///< none yet
  std::uint32_t name_at = 0;                  ///< if `ns` is empty: the name's offset in
                                              ///< pending_request::names_elsewhere
  std::uint32_t name_size = 0;                ///< in bytes
  std::uint32_t count = 0;                    ///< number of statements
  routing::routing_class routing{};           ///< of each of these statements
};

/// The size limit of pending_request::names_elsewhere, in bytes.
inline constexpr std::size_t max_names_elsewhere = 1024;

/// The progress of a request, from its arrival to its reply.
struct request_state {
  std::int32_t expected_response_to = 0;      ///< the responseTo of the expected reply
  clock::time_point sent;                     ///< when the request was forwarded or rejected
  std::optional<clock::time_point> answered;  ///< when the first byte of its (first) reply
                                              ///< arrived; empty: none has

  bool is_counted = false;   ///< it is a command that must still be counted
  bool is_rejected = false;  ///< scattergate answers it, with `rejection`
  bool is_unread = false;    ///< inspection was off: it was forwarded without being read
  bool may_stream = false;   ///< several replies may follow (exhaust)
  bool may_stay_unanswered = false;  ///< it is unknown whether a (further) reply follows
  bool is_cut_off = false;           ///< the client didn't send all of it, so no reply follows

  std::optional<dry_finding> dry_run;  ///< empty: no dry-run rule would have acted
  bool is_from_stranger = false;       ///< its client was a stranger when it arrived; see
                                       ///< client_identity::is_stranger()
  std::uint8_t sketch = 0;             ///< the sketch_notes::place for its values; 0: none
  bool is_listed = false;  ///< the catalog lists its namespace; set only if `ns` is empty
  telemetry::shape_table::ticket ticket;  ///< its shape's place, unless `fresh` is set
  std::int64_t cursor_id = 0;             ///< for a getMore: its cursor
  std::size_t footprint = 0;              ///< its memory in bytes, while it is in a queue
  wire::trace_id trace;                   ///< its trace; set only if the command may be
                                          ///< shown (command_taps::has_receiver_for())
};

/// Everything that is stored of a request until its reply arrives and the request is counted.
/// Contains no views, because the request's bytes are gone by then.
struct pending_request : judgement, request_state {
  std::string unlisted_name;  ///< "database" NUL "collection", if `ns` is empty
  std::vector<statements_elsewhere> elsewhere;  ///< for a bulkWrite
  std::string names_elsewhere;  ///< names in the form of unlisted_name, concatenated
  std::string comment;          ///< for a finding: the command's comment
  std::string finding_name;  ///< in the form of unlisted_name: the finding's namespace, if that
                             ///< isn't the command's and has no metric label
  std::vector<std::int64_t> killed_cursors;  ///< the known cursors of a killCursors
  std::vector<std::byte> rejection;          ///< a complete reply message, if `is_rejected`
  throttle_slot slot;                        ///< its slot of a throttle, if one has admitted it
  wire::reply_scanner reply;                 ///< scans its reply; restarted for each reply
  std::unique_ptr<identity_claim> claim;     ///< the identity that it claims; null: none
  std::unique_ptr<pending_request> next;     ///< the next one in its list
  /// The details of its shape, if the shape has no place yet or its details are outdated.
  std::unique_ptr<telemetry::shape_details> fresh;

  /// The request's memory, including malloc's overhead, in bytes.
  [[nodiscard]] std::size_t footprint_bytes() const noexcept {
    constexpr std::size_t kept_by_malloc = 16;
    return sizeof *this + kept_by_malloc + unlisted_name.capacity() + rejection.capacity() +
           elsewhere.capacity() * sizeof(statements_elsewhere) + names_elsewhere.capacity() +
           comment.capacity() + finding_name.capacity() +
           killed_cursors.capacity() * sizeof(std::int64_t) +
           (claim ? claim->footprint_bytes() : 0) + (fresh ? fresh->footprint_bytes() : 0);
  }

  /// Resets the request for reuse. Keeps the memory of some members.
  void clear() noexcept {
    static_cast<judgement&>(*this) = {};
    static_cast<request_state&>(*this) = {};
    unlisted_name.clear();
    // Frees the memory, which `= {}` wouldn't: few requests need these members.
    if (elsewhere.capacity() != 0) elsewhere = std::vector<statements_elsewhere>{};
    if (!names_elsewhere.empty()) names_elsewhere = std::string{};
    if (rejection.capacity() != 0) rejection = std::vector<std::byte>{};
    comment.clear();
    finding_name.clear();
    killed_cursors.clear();
    fresh.reset();
    claim.reset();
    slot.give_back();
  }

  /// Whether its reply must be scanned completely.
  [[nodiscard]] bool awaits_facts() const noexcept {
    return (is_counted && !ns) || may_open_cursor || may_change_catalog || claim ||
           is_hello() || is_from_stranger || fresh || !finding_name.empty() ||
           !killed_cursors.empty();
  }
  [[nodiscard]] bool is_hello() const noexcept { return routing::facts_of(command).is_hello; }

  /// Whether the request is a hello, which may wait for topology changes: losing its reply is
  /// harmless. Also true if the request stays pending after its first reply (exhaust), whether
  /// it was inspected or not: through a mongos, drivers use exhaust only for hellos.
  [[nodiscard]] bool is_waiting_hello() const noexcept {
    return is_hello() || ((is_unread || may_stay_unanswered) && answered);
  }
};

}  // namespace scattergate::proxy
