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

/// The parts of a command's judgement that are counted when it completes.
struct judgement {
  routing::command_kind command{};
  routing::routing_class routing{};
  routing::bounds_kind bounds{};
  routing::reason why{};
  routing::cause finding_reason;  ///< for a finding
  telemetry::finding_action action{};
  bool is_finding = false;
  bool may_open_cursor = false;
  bool has_fanout = false;
  bool may_change_catalog = false;  ///< its success may change the live catalog; false if there
                                    ///< is none
  bool is_unreadable = false;       ///< an unreadable message; its cause stands for its shape
  bool is_on_collection = false;    ///< a success proves that mongos knows the client
  std::uint32_t fanout = 0;
  telemetry::destination went;   ///< what the digest counts
  std::uint64_t shape_hash = 0;  ///< for a getMore: the shape of the command that opened its
                                 ///< cursor
  std::array<std::uint32_t, routing::routing_class_count> statements{};  ///< on `ns`
  std::optional<telemetry::namespace_id> ns;          ///< empty: not admitted yet
  std::optional<telemetry::namespace_id> finding_ns;  ///< for a finding in another namespace
  std::optional<telemetry::rule_id> rule;             ///< the rule that decided; empty: none
};

/// The finding of a dry-run rule: what it would have done with a command.
struct dry_finding {
  telemetry::finding_action action{};
  routing::cause why;
};

/// A bulkWrite's statements on another namespace than the one that it is counted under.
struct statements_elsewhere {
  std::optional<telemetry::namespace_id> ns;  ///< empty: not admitted yet
  std::uint32_t name_at = 0;                  ///< offset in pending_request::names_elsewhere
  std::uint32_t name_size = 0;
  std::uint32_t count = 0;
  routing::routing_class routing{};
};

/// The size limit of pending_request::names_elsewhere, in bytes.
inline constexpr std::size_t max_names_elsewhere = 1024;

/// The progress of a request, from its arrival to its reply.
struct request_state {
  std::int32_t awaits = 0;  ///< the responseTo of the expected reply
  clock::time_point sent;
  std::optional<clock::time_point> answered;  ///< when the first byte of its (first) reply
                                              ///< arrived

  bool is_counted = false;           ///< it is a command, and is counted when it completes
  bool is_rejected = false;          ///< answered by us, with `rejection`
  bool is_unread = false;            ///< forwarded uninspected: inspection is off
  bool may_stream = false;           ///< several replies may follow (exhaust)
  bool may_stay_unanswered = false;  ///< unknown whether a (further) reply follows
  bool is_cut_off = false;           ///< it was truncated, so no reply follows

  std::optional<dry_finding> dry_run;
  bool is_from_stranger = false;  ///< its client was a stranger when it arrived
  std::uint8_t sketch = 0;        ///< the sketch_notes::place for its values; 0: none
  bool is_listed = false;         ///< the catalog lists its namespace, which has no label yet
  telemetry::shape_table::ticket ticket;  ///< its shape's place, unless `fresh` is set
  std::int64_t cursor_id = 0;             ///< for a getMore
  std::size_t footprint = 0;              ///< in bytes, while it is in a queue
  wire::trace_id trace;                   ///< set only if a subscriber needs it
};

/// The stored facts of a request until its reply: everything to count then. Contains no views,
/// because the request's bytes are gone by then.
struct pending_request : judgement, request_state {
  std::string unlisted_name;  ///< "database" NUL "collection", if `ns` is empty
  std::vector<statements_elsewhere> elsewhere;
  std::string names_elsewhere;  ///< in the form of unlisted_name, concatenated
  std::string comment;          ///< for a finding
  std::string finding_name;  ///< in the form of unlisted_name, if the finding's namespace has
                             ///< no label
  std::vector<std::int64_t> killed_cursors;  ///< the known cursors of a killCursors
  std::vector<std::byte> rejection;          ///< a complete reply message
  throttle_slot slot;                        ///< of a throttling rule
  wire::reply_scanner reply;                 ///< scans its reply; restarted for each reply
  std::unique_ptr<identity_claim> claim;     ///< the identity that it claims; null: none
  std::unique_ptr<pending_request> next;     ///< the next one in its list
  std::unique_ptr<telemetry::shape_details> fresh;  ///< set for a shape that has no place yet

  /// Its memory, including malloc's overhead, in bytes.
  [[nodiscard]] std::size_t footprint_bytes() const noexcept {
    constexpr std::size_t kept_by_malloc = 16;
    return sizeof *this + kept_by_malloc + unlisted_name.capacity() + rejection.capacity() +
           elsewhere.capacity() * sizeof(statements_elsewhere) + names_elsewhere.capacity() +
           comment.capacity() + finding_name.capacity() +
           killed_cursors.capacity() * sizeof(std::int64_t) +
           (claim ? claim->footprint_bytes() : 0) + (fresh ? fresh->footprint_bytes() : 0);
  }

  /// Resets it for reuse; keeps the memory of short texts.
  void clear() noexcept {
    static_cast<judgement&>(*this) = {};
    static_cast<request_state&>(*this) = {};
    unlisted_name.clear();
    // Not `= {}`, which would keep the memory: few requests have these.
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

  /// Whether its reply must be parsed.
  [[nodiscard]] bool awaits_facts() const noexcept {
    return (is_counted && !ns) || may_open_cursor || may_change_catalog || claim ||
           is_hello() || is_from_stranger || fresh || !finding_name.empty() ||
           !killed_cursors.empty();
  }
  [[nodiscard]] bool is_hello() const noexcept { return routing::facts_of(command).is_hello; }

  /// Whether it is a hello that waits for topology changes, so that losing its reply is
  /// harmless. Includes an answered exhaust chain that is uninspected or may have ended:
  /// through a mongos, drivers use exhaust only for hellos.
  [[nodiscard]] bool is_waiting_hello() const noexcept {
    return is_hello() || ((is_unread || may_stay_unanswered) && answered);
  }
};

}  // namespace scattergate::proxy
