#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/cluster/catalog_notes.hpp"
#include "config/options/rule.hpp"
#include "proxy/judging/client_identity.hpp"
#include "proxy/throttle/throttle.hpp"
#include "proxy/upstream/cursor_table.hpp"
#include "routing/verdict.hpp"
#include "telemetry/counters/worker_metrics.hpp"
#include "telemetry/memory_budget.hpp"
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

/// What to do with a request.
enum class disposition : std::uint8_t {
  forward,  ///< send it to mongos
  drop,     ///< discard it, because it is rejected
  close,    ///< close the connection, because the request may authenticate by MONGODB-X509
            ///< (x509_guard.hpp)
};

/// A request that waits for its throttle (the rate limiter of a rule). When the wait ends, call
/// throttling::admit() or throttling::refuse().
struct held_request {
  std::unique_ptr<pending_request> pending;  ///< the request
  std::shared_ptr<throttle> by;              ///< the throttle that must admit the request
  std::shared_ptr<const config::rule> rule;  ///< the rule whose throttle holds the request
  clock::time_point until;   ///< the latest end of the request's wait; set if `is_in_queue`
  throttle::place place;     ///< the request's place in the throttle's queue, if `is_in_queue`
  bool is_in_queue = false;  ///< the request is in the throttle's queue; to enter, it must be
                             ///< complete, and the next that mongos would answer
  bool is_unanswered = false;  ///< the client expects no reply
};

/// The inspector's decision on a request.
struct inspection {
  disposition outcome = disposition::forward;  ///< ignored if `held` is set
  std::unique_ptr<pending_request> pending;  ///< to push to the pending_queue; null: the client
                                             ///< gets no reply, or the request is held
  std::unique_ptr<held_request> held{};  ///< set if a throttle must admit the request first;
                                         ///< otherwise null
};

/// An intrusive list that owns pending requests. Adding a request doesn't allocate.
class pending_list {
 public:
  pending_list() = default;
  pending_list(const pending_list&) = delete;
  pending_list& operator=(const pending_list&) = delete;
  ~pending_list() {
    while (size_ != 0) pop_front();
  }

  /// The number of requests in the list.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// The first request; null if the list is empty.
  [[nodiscard]] pending_request* first() const noexcept { return first_.get(); }
  /// The last request. REQUIRES: the list isn't empty.
  [[nodiscard]] pending_request* last() const noexcept { return last_; }

  /// Adds a request at the end.
  void push_back(std::unique_ptr<pending_request> request) noexcept {
    pending_request* const added = request.get();
    (size_ == 0 ? first_ : last_->next) = std::move(request);
    last_ = added;
    ++size_;
  }
  /// Adds a request at the beginning.
  void push_front(std::unique_ptr<pending_request> request) noexcept {
    if (size_++ == 0) last_ = request.get();
    request->next = std::move(first_);
    first_ = std::move(request);
  }
  /// Removes and returns the first request. REQUIRES: the list isn't empty.
  [[nodiscard]] std::unique_ptr<pending_request> take_front() noexcept {
    auto taken = std::move(first_);
    first_ = std::move(taken->next);
    --size_;
    return taken;
  }
  /// Deletes the first request. REQUIRES: the list isn't empty.
  void pop_front() noexcept { static_cast<void>(take_front()); }

 private:
  std::unique_ptr<pending_request> first_;
  pending_request* last_ = nullptr;  // valid if the list isn't empty
  std::size_t size_ = 0;
};

/// A worker's pool of unused pending requests, so that most requests need no allocation.
class pending_pool {
 public:
  /// Takes a cleared request from the pool, or allocates one.
  [[nodiscard]] std::unique_ptr<pending_request> take() {
    return free_.size() == 0 ? std::make_unique<pending_request>() : free_.take_front();
  }
  /// Clears a request and keeps it for take(). Deletes it if the pool is full.
  void give_back(std::unique_ptr<pending_request> request) noexcept {
    if (free_.size() >= max_kept) return;
    request->clear();
    free_.push_front(std::move(request));
  }

 private:
  static constexpr std::size_t max_kept = 4096;
  pending_list free_;
};

/// A connection's requests that await replies, in the order in which the client sent them. The
/// queue is limited in number, and in bytes by the connection's memory share (its part of
/// limits.memory). At a limit, request_side stops reading from the client. Thread-safety: the
/// worker's thread.
class pending_queue {
 public:
  /// The maximum number of requests in the queue.
  static constexpr std::size_t max_pending = 1024;
  /// The memory, in bytes, that the queue may use without charging the memory share. The first
  /// request counts as 0 bytes. The last request may exceed the limit.
  static constexpr std::size_t own_bytes = 4096;

  /// `share`: the connection's memory share; must outlive this object.
  explicit pending_queue(telemetry::memory_share& share) noexcept : lease_(share) {}

  [[nodiscard]] bool is_empty() const noexcept { return list_.size() == 0; }
  /// Whether the limit in number or in bytes is reached. If so, call make_room() before
  /// push().
  [[nodiscard]] bool is_full() const noexcept {
    return list_.size() >= max_pending || bytes_ >= own_bytes + lease_.bytes();
  }
  /// Tries to make room for another request, by charging memory to the memory share. Returns
  /// whether another request fits now.
  [[nodiscard]] bool make_room() noexcept {
    return list_.size() < max_pending && lease_.grow_to(bytes_ + own_bytes);
  }
  /// The number of requests in the queue.
  [[nodiscard]] std::size_t size() const noexcept { return list_.size(); }
  /// The oldest request. REQUIRES: the queue isn't empty.
  [[nodiscard]] pending_request& front() noexcept { return *list_.first(); }
  /// The newest request. REQUIRES: the queue isn't empty.
  [[nodiscard]] pending_request& back() noexcept { return *list_.last(); }
  /// The oldest request; null if the queue is empty. Follow pending_request::next to iterate.
  [[nodiscard]] const pending_request* first() const noexcept { return list_.first(); }

  /// Appends a request. REQUIRES: is_full() returned false, or make_room() returned true.
  void push(std::unique_ptr<pending_request> request) noexcept {
    // The first request counts 0 bytes: it is accepted whatever its size.
    if (!is_empty()) {
      request->footprint = request->footprint_bytes();
      bytes_ += request->footprint;
    }
    list_.push_back(std::move(request));
  }

  /// Removes and returns the first request. REQUIRES: the queue isn't empty.
  [[nodiscard]] std::unique_ptr<pending_request> pop() noexcept {
    auto request = list_.take_front();
    bytes_ -= request->footprint;
    if (list_.size() == 0) lease_.release();
    return request;
  }

 private:
  pending_list list_;
  telemetry::memory_lease lease_;
  std::size_t bytes_ = 0;  // memory of the requests, without that of requests pushed when the
                           // queue was empty
};

}  // namespace scattergate::proxy
