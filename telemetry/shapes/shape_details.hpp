#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "digest/row.hpp"
#include "routing/verdict.hpp"
#include "telemetry/counters/worker_metrics.hpp"
#include "telemetry/memory_budget.hpp"

namespace scattergate::telemetry {

/// The key of an entry ("place") in a shape_table: the query shape and, for a finding, also its
/// reason, action and rule. So each finding's place corresponds to one line of the audit log.
struct shape_key {
  std::string_view database;
  std::string_view collection;
  routing::command_kind command{};
  std::uint64_t shape_hash = 0;
  std::optional<finding_action> action;  ///< empty: no finding, and the members below are empty
  routing::cause why;                    ///< the finding's reason
  std::string_view rule;                 ///< the deciding rule's name; empty: none
  std::string_view why_in_comment{};     ///< reason given in the command's comment; not part of
                                         ///< the key, the latest one is kept
};

/// The IDs of a catalog's shards, in the order of a fan-out's bits.
using shard_ids = std::shared_ptr<const std::vector<std::string>>;

/// The shards that a command reaches, as bits over a list of IDs. A view.
struct fanout_view {
  const std::vector<std::string>* ids = nullptr;
  std::span<const std::uint64_t> bits;
};

/// Whether a place belongs to one shape or is shared by commands of many shapes.
enum class shape_scope : std::uint8_t {
  own,      ///< one shape's place
  other,    ///< `__other__`: findings beyond the cap on shapes
  failed,   ///< `__failed__`: findings without a successful command
  rowless,  ///< commands that are no findings and have no place of their own: they count in the
            ///< digest's totals only
};

/// The description of a shape, made when a worker first sees the shape and again when it is
/// outdated.
struct shape_details {
  std::string database, collection;
  routing::command_kind command{};
  std::uint64_t shape_hash = 0;
  std::string query_shape_hash;  ///< MongoDB's queryShapeHash; empty: unknown
  digest::description what;
  std::optional<finding_action> action;  ///< nothing: no finding
  std::string rule, rule_why;            ///< the deciding rule's name and its reason
  shard_ids shards;                      ///< null: unknown
  std::vector<std::uint64_t> fanout;     ///< the shards that the described command reached, as
                                         ///< bits over `shards`; empty: unknown
  shape_scope scope = shape_scope::own;

  /// Approximate size, in bytes.
  [[nodiscard]] std::size_t footprint_bytes() const noexcept;
  [[nodiscard]] bool is_shared() const noexcept { return scope != shape_scope::own; }
  [[nodiscard]] bool is_finding() const noexcept { return action.has_value(); }
  /// The key of the shape's row in the digest; a view. REQUIRES: !is_shared().
  [[nodiscard]] digest::row_key row_key() const noexcept;
};

/// The key of `details`; a view into them.
[[nodiscard]] shape_key key_of(const shape_details& details) noexcept;

/// The text that stands for a shared place's command, namespace and hash in audit lines.
[[nodiscard]] std::string_view label(shape_scope scope) noexcept;

/// Moves details into a shared_ptr. Reserves their memory, including the shape's entries in
/// tables, from `memory` until the last owner releases them. Returns null if there is no room.
/// `memory` must outlive the result. Allocates.
[[nodiscard]] std::shared_ptr<const shape_details> keep_details(shape_details details,
                                                                memory_budget& memory);

/// The details of a shared place.
[[nodiscard]] std::shared_ptr<const shape_details> shared_details(shape_scope scope);

/// The maximum size of a caller's text, in bytes; longer ones are truncated.
inline constexpr std::size_t max_caller_text = 256;

/// The maximum number of callers that are counted separately per shape, between two hand-overs
/// to the `account`.
inline constexpr std::size_t max_callers = digest::callers::most;

/// The sender of a command. A view; the table stores copies, truncated to max_caller_text.
struct caller_view {
  std::string_view app_name, driver, user, remote, comment;
};

/// A hash that identifies a caller within this process. Always odd.
[[nodiscard]] std::uint64_t known_as(const caller_view& caller) noexcept;

/// The counts of one place since its worker last handed counts to the `account`.
struct shape_delta : digest::counts {
  std::shared_ptr<const shape_details> details;
  std::vector<std::uint64_t>
      fanout;  ///< the last command's shards, over the details' IDs; empty: unknown
};

/// The IDs of the shards that the last command reached; std::nullopt if unknown.
[[nodiscard]] std::optional<std::vector<std::string>> fanout_of(const shape_delta& delta);

}  // namespace scattergate::telemetry
