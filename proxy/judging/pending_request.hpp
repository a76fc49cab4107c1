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

/// A command's judgement: all that is counted about it when it completes.
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
  bool may_change_catalog = false;  ///< and a live catalog exists
  bool is_unreadable = false;       ///< an unreadable message: its shape is its cause
  bool is_on_collection = false;  ///< mongos answers commands of this kind successfully only to
                                  ///< clients it knows
  std::uint32_t fanout = 0;
  telemetry::destination went;   ///< for the digest
  std::uint64_t shape_hash = 0;  ///< for a getMore, of the command that opened its cursor
  std::array<std::uint32_t, routing::routing_class_count> statements{};  ///< on `ns`
  std::optional<telemetry::namespace_id> ns;          ///< empty: not admitted yet
  std::optional<telemetry::namespace_id> finding_ns;  ///< for a finding in another namespace
  std::optional<telemetry::rule_id> rule;             ///< the rule that decided; empty: none
};

/// What a dry run would have done with a command, if that is worth a finding.
struct dry_finding {
  telemetry::finding_action action{};
  routing::cause why;
};

/// Statements of a bulkWrite on a namespace other than the one that it is counted under.
struct statements_elsewhere {
  std::optional<telemetry::namespace_id> ns;  ///< empty: not admitted yet
  std::uint32_t name_at = 0;                  ///< offset in pending_request::names_elsewhere
  std::uint32_t name_size = 0;
  std::uint32_t count = 0;
  routing::routing_class routing{};
};

/// Limit for the names of further namespaces kept until the reply, in bytes.
inline constexpr std::size_t max_names_elsewhere = 1024;

/// The progress of a request.
struct request_state {
  std::int32_t awaits = 0;  ///< the responseTo of the expected reply
  clock::time_point sent;
  std::optional<clock::time_point> answered;  ///< when the first byte of its (first) reply
                                              ///< arrived

  bool is_counted = false;           ///< a command, to be counted when it completes
  bool is_rejected = false;          ///< answered by us, with `rejection`
  bool is_unread = false;            ///< forwarded uninspected: inspection is off
  bool may_stream = false;           ///< several replies may follow (exhaust)
  bool may_stay_unanswered = false;  ///< unknown whether a (further) reply follows
  bool is_cut_off = false;           ///< it was truncated, so there will be no reply

  std::optional<dry_finding> dry_run;
  bool is_from_stranger = false;          ///< as far as was known on arrival
  std::uint8_t sketch = 0;                ///< sketch_notes::place of its values; 0: none
  bool is_listed = false;                 ///< the catalog lists the namespace that has no label
  telemetry::shape_table::ticket ticket;  ///< of its shape, unless `fresh` has details
  std::int64_t cursor_id = 0;             ///< for a getMore
  std::size_t footprint = 0;              ///< in bytes, while it is in a queue
  wire::trace_id trace;                   ///< its trace; set if a subscriber needs it
};

/// What is remembered about a request until its reply: all that will be counted then. Nothing
/// in it points into the request's bytes, which are gone by then.
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
  std::unique_ptr<identity_claim> claim;     ///< what it says about the client; null: nothing
  std::unique_ptr<pending_request> next;     ///< the next one in its list
  std::unique_ptr<telemetry::shape_details> fresh;  ///< for a shape that has no place yet

  /// Its memory in bytes, with malloc's overhead.
  [[nodiscard]] std::size_t footprint_bytes() const noexcept {
    constexpr std::size_t kept_by_malloc = 16;
    return sizeof *this + kept_by_malloc + unlisted_name.capacity() + rejection.capacity() +
           elsewhere.capacity() * sizeof(statements_elsewhere) + names_elsewhere.capacity() +
           comment.capacity() + finding_name.capacity() +
           killed_cursors.capacity() * sizeof(std::int64_t) +
           (claim ? claim->footprint_bytes() : 0) + (fresh ? fresh->footprint_bytes() : 0);
  }

  /// Resets it, keeping a little memory for its next use.
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

  /// Whether the contents of its reply matter.
  [[nodiscard]] bool awaits_facts() const noexcept {
    return (is_counted && !ns) || may_open_cursor || may_change_catalog || claim ||
           is_hello() || is_from_stranger || fresh || !finding_name.empty() ||
           !killed_cursors.empty();
  }
  [[nodiscard]] bool is_hello() const noexcept { return routing::facts_of(command).is_hello; }

  /// Whether losing its reply is harmless: it is a hello that waits for news. An uninspected
  /// exhaust chain counts as one, because drivers use no other through a mongos; so does a
  /// chain of which it is unknown whether it continues.
  [[nodiscard]] bool is_waiting_hello() const noexcept {
    return is_hello() || ((is_unread || may_stay_unanswered) && answered);
  }
};

}  // namespace scattergate::proxy
