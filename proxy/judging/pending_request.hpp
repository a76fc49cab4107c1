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

/// What a command was judged to be: all that is counted of it when it completes.
struct judgement {
  routing::command_kind command{};
  routing::routing_class routing{};
  routing::bounds_kind bounds{};
  routing::reason why{};
  routing::cause finding_reason;  ///< of a finding
  telemetry::finding_action action{};
  bool is_finding = false;
  bool may_open_cursor = false;
  bool has_fanout = false;
  bool may_change_catalog = false;  ///< and there is a live one to be told
  bool is_unreadable = false;       ///< a message that can't be read: its shape is its cause
  bool is_on_collection = false;  ///< of a kind that mongos answers well to whom it knows only
  std::uint32_t fanout = 0;
  telemetry::destination went;   ///< as the digest counts it
  std::uint64_t shape_hash = 0;  ///< of what it was opened by, where it is a getMore
  std::array<std::uint32_t, routing::routing_class_count> statements{};  ///< on `ns`
  std::optional<telemetry::namespace_id> ns;          ///< none: not admitted yet
  std::optional<telemetry::namespace_id> finding_ns;  ///< the finding's, where it is another
  std::optional<telemetry::rule_id> rule;             ///< the one that decided; none: no rule
};

/// What a dry run would have done with a command, that is worth a finding.
struct dry_finding {
  telemetry::finding_action action{};
  routing::cause why;
};

/// Statements of a bulkWrite on another namespace than the one that it is counted under.
struct statements_elsewhere {
  std::optional<telemetry::namespace_id> ns;  ///< none: not admitted yet
  std::uint32_t name_at = 0;                  ///< in pending_request::names_elsewhere
  std::uint32_t name_size = 0;
  std::uint32_t count = 0;
  routing::routing_class routing{};
};

/// What is kept of the names of further namespaces until the reply, in bytes.
inline constexpr std::size_t max_names_elsewhere = 1024;

/// How far a request has come.
struct request_state {
  std::int32_t awaits = 0;  ///< the responseTo of the reply that it waits for
  clock::time_point sent;
  std::optional<clock::time_point> answered;  ///< the first byte of its (first) reply

  bool is_counted = false;           ///< a command, to be counted when it completes
  bool is_rejected = false;          ///< ours to answer, with `rejection`
  bool is_unread = false;            ///< passed on without a look: inspection is off
  bool may_stream = false;           ///< several replies may come (exhaust)
  bool may_stay_unanswered = false;  ///< whether a (further) reply comes can't be told
  bool is_cut_off = false;           ///< its end never comes, and so no reply either

  std::optional<dry_finding> dry_run;
  bool is_from_stranger = false;          ///< as far as was known when it came
  bool is_listed = false;                 ///< the catalog lists what has no label
  telemetry::shape_table::ticket ticket;  ///< of its shape, unless there are `fresh` details
  std::int64_t cursor_id = 0;             ///< of a getMore
  std::size_t footprint = 0;              ///< bytes, while it is in a queue
  wire::trace_id trace;  ///< that it belongs to; looked for where somebody is told of it
};

/// What must be remembered of a request until its reply: whatever will be counted then, and
/// nothing that points into the request's bytes, which are gone by that time.
struct pending_request : judgement, request_state {
  std::string unlisted_name;  ///< "database" NUL "collection", where `ns` is none
  std::vector<statements_elsewhere> elsewhere;
  std::string names_elsewhere;  ///< as unlisted_name, end to end
  std::string comment;          ///< of a finding
  std::string finding_name;     ///< as unlisted_name, where the finding's has no label
  std::vector<std::int64_t> killed_cursors;  ///< those of a killCursors that are known
  std::vector<std::byte> rejection;          ///< a whole reply message
  throttle_slot slot;                        ///< of a rule that throttles
  wire::reply_scanner reply;                 ///< scans its reply; begun anew by each
  std::unique_ptr<identity_claim> claim;     ///< what it says of the client; null: nothing
  std::unique_ptr<pending_request> next;     ///< in the list that it is in
  std::unique_ptr<telemetry::shape_details> fresh;  ///< of a shape that has no place yet

  /// What it takes, in bytes, with what malloc takes to keep it.
  [[nodiscard]] std::size_t footprint_bytes() const noexcept {
    constexpr std::size_t kept_by_malloc = 16;
    return sizeof *this + kept_by_malloc + unlisted_name.capacity() + rejection.capacity() +
           elsewhere.capacity() * sizeof(statements_elsewhere) + names_elsewhere.capacity() +
           comment.capacity() + finding_name.capacity() +
           killed_cursors.capacity() * sizeof(std::int64_t) +
           (claim ? claim->footprint_bytes() : 0) + (fresh ? fresh->footprint_bytes() : 0);
  }

  /// As new, but for a little memory that the next one may use.
  void clear() noexcept {
    static_cast<judgement&>(*this) = {};
    static_cast<request_state&>(*this) = {};
    unlisted_name.clear();
    // Not by `= {}`, which would keep the memory: few have these.
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

  /// Whether anything in its reply counts, beside that one came.
  [[nodiscard]] bool awaits_facts() const noexcept {
    return (is_counted && !ns) || may_open_cursor || may_change_catalog || claim ||
           is_hello() || is_from_stranger || fresh || !finding_name.empty() ||
           !killed_cursors.empty();
  }
  [[nodiscard]] bool is_hello() const noexcept { return routing::facts_of(command).is_hello; }

  /// Whether its reply is no loss: a hello that waits for news. Of what nobody has looked at,
  /// an exhaust chain is taken for one, as drivers use no other through a mongos; so is one
  /// of which it isn't known whether it goes on.
  [[nodiscard]] bool is_waiting_hello() const noexcept {
    return is_hello() || ((is_unread || may_stay_unanswered) && answered);
  }
};

}  // namespace scattergate::proxy
