#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/cluster/catalog_notes.hpp"
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

/// The part of a command's verdict and decision that is needed to count the command when it
/// completes. A finding is a command that must be reported.
struct judgement {
  routing::command_kind command{};
  routing::routing_class routing{};    ///< how mongos routes the command
  routing::bounds_kind bounds{};       ///< how the command's filter bounds the shard key
  routing::reason why{};               ///< why the command has this routing class
  routing::cause finding_reason;       ///< for a finding: the reason to report
  telemetry::finding_action action{};  ///< the action on a finding
  bool is_finding = false;             ///< the command is a finding
  bool may_open_cursor = false;        ///< the command's reply may contain a cursor's id
  bool has_fanout = false;             ///< `fanout` is known
  bool is_unreadable = false;          ///< the message can't be parsed; all messages with the
                                       ///< same error share one shape
  bool is_on_collection = false;       ///< the command is on a collection, so its success
                                       ///< means that mongos has authorized the client
  std::uint32_t fanout = 0;            ///< number of shards that the command asks, if
                                       ///< `has_fanout`
  /// The command's routing class and number of shards, for the digest (the table of shapes).
  telemetry::destination digest_destination;
  std::uint64_t shape_hash = 0;  ///< the hash of the command's shape; for a getMore: the hash
                                 ///< of the shape of the command that opened the cursor
  std::array<std::uint32_t, routing::routing_class_count> statements{};  ///< number of
                                                                         ///< statements on
                                                                         ///< `ns`, by class
  std::optional<telemetry::namespace_id> ns;          ///< the metric label of the command's
                                                      ///< namespace; empty: there is none yet
  std::optional<telemetry::namespace_id> finding_ns;  ///< the metric label of the finding's
                                                      ///< namespace; empty: it is that of the
                                                      ///< command, or has no label
  std::optional<telemetry::rule_id> rule;             ///< the rule that decided; empty: none
};

/// What a dry-run rule (a rule that only counts the commands it matches) would have done with a
/// command.
struct dry_finding {
  telemetry::finding_action action{};  ///< the action that the rule would have taken
  routing::cause why;                  ///< the reason to report
};

/// A bulkWrite's statements on one namespace other than judgement::ns. A bulkWrite may write to
/// many namespaces, but counts as a command of judgement::ns only.
struct statements_elsewhere {
  std::optional<telemetry::namespace_id> ns;  ///< the metric label of the namespace; empty:
                                              ///< there is none yet
  std::uint32_t name_at = 0;                  ///< if `ns` is empty: the offset of the
                                              ///< namespace's name in
                                              ///< pending_request::names_elsewhere
  std::uint32_t name_size = 0;                ///< the size of that name, in bytes
  std::uint32_t count = 0;                    ///< number of statements
  routing::routing_class routing{};           ///< the class of each of these statements
};

/// The size limit of pending_request::names_elsewhere, in bytes.
inline constexpr std::size_t max_names_elsewhere = 1024;

/// The progress of a request, from its arrival to its reply.
struct request_state {
  std::int32_t expected_response_to = 0;      ///< the responseTo of the expected reply
  clock::time_point sent;                     ///< when the request was forwarded or rejected
  std::optional<clock::time_point> answered;  ///< when the first byte of the first reply
                                              ///< arrived; empty: no reply has begun

  bool must_be_counted = false;      ///< the request is a command that isn't counted yet
  bool is_rejected = false;          ///< scattergate answers the request, with `rejection`
  bool is_unread = false;            ///< inspection was off: the request was forwarded unread
  bool may_stream = false;           ///< several replies to the request may follow (exhaust)
  bool may_stay_unanswered = false;  ///< it is unknown whether a (further) reply follows
  bool is_cut_off = false;  ///< the client sent only a part of the request, so no reply
                            ///< follows

  std::optional<dry_finding> dry_run;  ///< empty: no dry-run rule would have rejected or
                                       ///< throttled the request
  bool is_from_stranger = false;       ///< when the request arrived, the client was a
                                       ///< stranger; see client_identity::is_stranger()
  std::uint8_t sketch = 0;  ///< the sketch_notes::place of the command's collection; 0: no
                            ///< values are sketched
  bool is_listed = false;   ///< the catalog lists the command's namespace; set only if `ns` is
                            ///< empty
  telemetry::shape_table::ticket ticket;  ///< the place of the request's shape in the shape
                                          ///< table; unused while `fresh` is set
  std::int64_t cursor_id = 0;             ///< for a getMore: the cursor's id; otherwise 0
  std::size_t footprint = 0;  ///< the bytes that pending_queue counts for the request
  wire::trace_id trace;       ///< the request's trace id; set only if a copy of the command
                              ///< may be sent (command_taps::has_receiver_for())
};

/// A request that awaits its reply: the data to count it, once the reply has arrived. Contains
/// no views of the request's bytes, because they are forwarded by then.
struct pending_request : judgement, request_state {
  std::string unlisted_name;  ///< if `ns` is empty: the command's namespace, as "database" NUL
                              ///< "collection". "Unlisted" means without a metric label: the
                              ///< catalog may list the namespace (see `is_listed`).
  /// A bulkWrite's statements on namespaces other than `ns`, one entry per namespace.
  std::vector<statements_elsewhere> elsewhere;
  std::string names_elsewhere;  ///< the names for `elsewhere`, each as "database" NUL
                                ///< "collection", concatenated
  std::string comment;          ///< the command's comment, for a finding or if clients are
                                ///< trusted; without the test's name
  std::string test;             ///< with `comment`: the name of the running test
  std::string finding_name;     ///< the finding's namespace, as "database" NUL "collection";
                                ///< empty if that is the command's namespace, or has a metric
                                ///< label
  std::vector<config::metadata_change> changes;  ///< what the command may change in the live
                                                 ///< catalog; empty without a live catalog
  std::vector<std::int64_t> killed_cursors;      ///< for a killCursors: its cursors that the
                                                 ///< cursor_table has
  std::vector<std::byte> rejection;       ///< if `is_rejected`: the complete reply message
  throttle_slot slot;                     ///< the slot of the throttle that has admitted
                                          ///< the request; empty if there is none
  wire::reply_scanner reply;              ///< scans the replies, one after the other
  std::unique_ptr<identity_claim> claim;  ///< the identity that the request claims; null if it
                                          ///< claims none
  std::unique_ptr<pending_request> next;  ///< the next request in the same pending_list
  /// The details of the request's shape. Null if the shape table has a place for the shape,
  /// with details that aren't outdated.
  std::unique_ptr<telemetry::shape_details> fresh;

  /// The request's memory, including malloc's overhead, in bytes.
  [[nodiscard]] std::size_t footprint_bytes() const noexcept {
    constexpr std::size_t kept_by_malloc = 16;
    return sizeof *this + kept_by_malloc + unlisted_name.capacity() + rejection.capacity() +
           elsewhere.capacity() * sizeof(statements_elsewhere) + names_elsewhere.capacity() +
           comment.capacity() + test.capacity() + finding_name.capacity() +
           changes.capacity() * sizeof(config::metadata_change) +
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
    if (changes.capacity() != 0) changes = std::vector<config::metadata_change>{};
    comment.clear();
    test.clear();
    finding_name.clear();
    killed_cursors.clear();
    fresh.reset();
    claim.reset();
    slot.give_back();
  }

  /// Whether the reply must be scanned completely, not only its first bytes.
  [[nodiscard]] bool needs_whole_reply() const noexcept {
    return (must_be_counted && !ns) || may_open_cursor || !changes.empty() || claim ||
           is_hello() || is_from_stranger || fresh || !finding_name.empty() ||
           !killed_cursors.empty();
  }
  /// Whether the command is a hello or isMaster.
  [[nodiscard]] bool is_hello() const noexcept { return routing::facts_of(command).is_hello; }

  /// Whether losing the reply is harmless, because the request is a hello that may wait for
  /// topology changes. Also true for a request that stays pending after its first reply
  /// (exhaust): drivers that are connected to a mongos use exhaust only for hellos.
  [[nodiscard]] bool is_waiting_hello() const noexcept {
    return is_hello() || ((is_unread || may_stay_unanswered) && answered);
  }
};

}  // namespace scattergate::proxy
