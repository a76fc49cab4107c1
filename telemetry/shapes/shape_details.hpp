#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "digest/row.hpp"
#include "routing/verdict.hpp"
#include "telemetry/counters/worker_metrics.hpp"
#include "telemetry/history/history.hpp"
#include "telemetry/memory_budget.hpp"

namespace scattergate::telemetry {

/// The key of a place (an entry of shape_table, a worker's table of counts). It has the query
/// shape and, for a finding (a command to report), also the reason, the action and the rule.
/// The audit log writes one line per interval for each finding's place.
struct shape_key {
  std::string_view database;
  std::string_view collection;
  routing::command_kind command{};
  std::uint64_t shape_hash = 0;
  std::optional<finding_action> action;  ///< how rules treat the finding; empty: no finding,
                                         ///< and the members below are empty
  routing::cause why;                    ///< the finding's reason
  std::string_view rule;                 ///< the deciding rule's name; empty: none
  std::string_view why_in_comment{};     ///< WHY of a command's comment `scattergate:accept
                                         ///< WHY`; not part of the key: a place keeps the
                                         ///< latest
};

/// The IDs of a catalog's shards. Bit n of a fan-out (the shards that a command reaches)
/// stands for the n-th ID.
using shard_ids = std::shared_ptr<const std::vector<std::string>>;

/// The shards that a command reaches: bit n stands for the n-th element of `ids`. A view.
struct fanout_view {
  const std::vector<std::string>* ids = nullptr;  ///< null: unknown
  std::span<const std::uint64_t> bits;            ///< empty: unknown
};

/// Whether a place (an entry of shape_table) belongs to one shape or is shared by commands of
/// many shapes.
enum class shape_scope : std::uint8_t {
  own,      ///< a place of one shape
  other,    ///< `__other__`: findings for which the table has no room
  failed,   ///< `__failed__`: findings without a place of their own that failed or came from an
            ///< unauthenticated client
  rowless,  ///< commands that are no findings and have no place of their own; they count only
            ///< in the digest's totals
};

/// The description of a shape (a command without its values). A worker makes it when it first
/// sees the shape, and again when the description is outdated.
struct shape_details {
  std::string database, collection;
  routing::command_kind command{};
  std::uint64_t shape_hash = 0;
  std::string query_shape_hash;  ///< MongoDB's queryShapeHash; empty: unknown
  digest::description what;      ///< the shape's text, and what to do about it
  routing::refusal refused{};    ///< the error with which mongos certainly rejects the command
  std::optional<finding_action> action;  ///< how rules treat the finding; empty: no finding
  std::string rule, rule_why;            ///< the deciding rule's name and reason; empty: none
  shard_ids shards;                      ///< the IDs for `fanout`; null: unknown
  std::vector<std::uint64_t> fanout;     ///< the shards that the described command reached, as
                                         ///< bits over `shards`; empty: unknown
  shape_scope scope = shape_scope::own;

  /// The approximate size of this object with its texts, in bytes.
  [[nodiscard]] std::size_t footprint_bytes() const noexcept;
  /// Whether the place is shared by commands of many shapes.
  [[nodiscard]] bool is_shared() const noexcept { return scope != shape_scope::own; }
  [[nodiscard]] bool is_finding() const noexcept { return action.has_value(); }
  /// The key of the shape's row in the digest; a view. REQUIRES: !is_shared().
  [[nodiscard]] digest::row_key row_key() const noexcept;
};

/// The key of the place with these details; a view into `details`.
[[nodiscard]] shape_key key_of(const shape_details& details) noexcept;

/// The text that stands for a shared place's command, namespace and hash in audit lines: for
/// example, `__other__`. Empty for `own` and `rowless`.
[[nodiscard]] std::string_view label(shape_scope scope) noexcept;

/// Moves details into a shared_ptr. Reserves memory for the details, and for the shape's
/// entries in tables, from `memory` until the last owner releases the details. Returns null if
/// there is no room. `memory` must outlive the result. Allocates.
[[nodiscard]] std::shared_ptr<const shape_details> keep_details(shape_details details,
                                                                memory_budget& memory);

/// Makes the details of a shared place. REQUIRES: `scope` isn't `own`.
[[nodiscard]] std::shared_ptr<const shape_details> shared_details(shape_scope scope);

/// The maximum size of each text of a caller, in bytes; longer texts are truncated.
inline constexpr std::size_t max_caller_text = 256;

/// The maximum number of callers of a shape that a worker counts separately. The other callers
/// share one count.
inline constexpr std::size_t max_callers = digest::callers::most;

/// The sender of a command. A view; caller_slots stores copies, truncated to max_caller_text.
/// Empty: unknown.
struct caller_view {
  std::string_view app_name, driver, user, remote, comment;
  std::string_view test{};  ///< the running test; doesn't distinguish callers
};

/// A hash that identifies a caller within this process. Always odd, so never 0.
[[nodiscard]] std::uint64_t known_as(const caller_view& caller) noexcept;

/// A worker's new counts of one place (an entry of shape_table): those since the worker last
/// handed counts to the `account`, which adds up all workers' counts.
struct shape_delta : digest::counts {
  refusals refused;                              ///< the commands that weren't forwarded
  std::shared_ptr<const shape_details> details;  ///< the shape's description; never null
  std::vector<std::uint64_t>
      fanout;  ///< the last command's shards, as bits over details->shards; empty: unknown
};

/// The IDs of the shards that the last command reached; std::nullopt if unknown.
[[nodiscard]] std::optional<std::vector<std::string>> fanout_of(const shape_delta& delta);

/// Maps a shape_key (query shape and kind of finding) to the position of its entry in a table.
/// Lookups don't allocate. Thread-safety: one thread writes; other threads may read only while
/// none writes.
class shape_index {
 public:
  /// The position of the entry with this key; std::nullopt if there is no such entry.
  [[nodiscard]] std::optional<std::uint32_t> find(const shape_key& key) const noexcept;

  /// Adds an entry for key_of(details). `details` owns the key's texts, and must outlive the
  /// entry.
  void insert(const shape_details& details, std::uint32_t position);

  /// Makes `details` the owner of an entry's key, instead of `old`. REQUIRES: both have the
  /// same key.
  void replace(const shape_details& old, const shape_details& details);

  /// Changes the position of the entry for key_of(details).
  void move(const shape_details& details, std::uint32_t position);

  /// Removes the entry for key_of(details); `details` may be deleted afterwards.
  void erase(const shape_details& details);

 private:
  struct hash {
    std::size_t operator()(const shape_key& key) const noexcept;
  };
  struct equal {
    bool operator()(const shape_key& a, const shape_key& b) const noexcept;
  };
  std::unordered_map<shape_key, std::uint32_t, hash, equal> positions_;
};

}  // namespace scattergate::telemetry
