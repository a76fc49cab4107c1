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

/// What makes two commands count in the same place: a shape, and for a finding why it is one
/// and what was done, so that each place is of one line of the audit log.
struct shape_key {
  std::string_view database;
  std::string_view collection;
  routing::command_kind command{};
  std::uint64_t shape_hash = 0;
  std::optional<finding_action> action;  ///< nothing: it is no finding, and the rest is empty
  routing::cause why;
  std::string_view rule;              ///< the deciding rule's name, empty by default
  std::string_view why_in_comment{};  ///< no part of the key: the latest one is kept
};

/// The ids of a catalog's shards, in the order in which the bits of a fan-out number them.
using shard_ids = std::shared_ptr<const std::vector<std::string>>;

/// The shards that a command reaches: bits over a list of ids. A view.
struct fanout_view {
  const std::vector<std::string>* ids = nullptr;
  std::span<const std::uint64_t> bits;
};

/// Whether a place is one shape's own, or stands for many.
enum class shape_scope : std::uint8_t {
  own,
  other,    ///< `__other__`: findings beyond the cap on shapes
  failed,   ///< `__failed__`: findings whose commands have earned no place of their own
  rowless,  ///< no findings, and no place either: they count in the digest's totals alone
};

/// What is said of a shape beside its key and its counts; made once, when a worker sees it
/// first.
struct shape_details {
  std::string database, collection;
  routing::command_kind command{};
  std::uint64_t shape_hash = 0;
  std::string query_shape_hash;  ///< MongoDB's own; empty: not known
  digest::description what;
  std::optional<finding_action> action;  ///< nothing: no finding
  std::string rule, rule_why;
  shard_ids shards;  ///< null: no catalog tells
  std::vector<std::uint64_t>
      fanout;  ///< of the command that they were made from; empty: unknown
  shape_scope scope = shape_scope::own;

  /// What it takes, in bytes, about.
  [[nodiscard]] std::size_t footprint_bytes() const noexcept;
  [[nodiscard]] bool is_shared() const noexcept { return scope != shape_scope::own; }
  [[nodiscard]] bool is_finding() const noexcept { return action.has_value(); }
  /// The key of its row in the digest; a view into it. REQUIRES: !is_shared().
  [[nodiscard]] digest::row_key row_key() const noexcept;
};

/// The key of what `details` tell of; a view into them.
[[nodiscard]] shape_key key_of(const shape_details& details) noexcept;

/// What stands in a shared finding's line for its command, namespace and hash.
[[nodiscard]] std::string_view label(shape_scope scope) noexcept;

/// What is said of a shape, for all who tell of it. Its bytes are out of `memory` as long as
/// anybody has them, those of its places in the tables included; null where there is
/// no room for them. `memory` must outlive it. Allocates.
[[nodiscard]] std::shared_ptr<const shape_details> keep_details(shape_details details,
                                                                memory_budget& memory);

/// The details of a shared place.
[[nodiscard]] std::shared_ptr<const shape_details> shared_details(shape_scope scope);

/// What of a caller's texts is kept, in bytes.
inline constexpr std::size_t max_caller_text = 256;

/// Callers kept apart per shape between two hand-overs.
inline constexpr std::size_t max_callers = digest::callers::most;

/// Who sent a command. A view; the table copies what it keeps, each text cut at
/// max_caller_text.
struct caller_view {
  std::string_view app_name, driver, user, remote, comment;
};

/// What tells a caller from others without looking at its texts, for who sends many commands: a
/// hash under this process's key, always odd.
[[nodiscard]] std::uint64_t known_as(const caller_view& caller) noexcept;

/// What came of one shape since it was last handed over.
struct shape_delta : digest::counts {
  std::shared_ptr<const shape_details> details;
  std::vector<std::uint64_t>
      fanout;  ///< of its last command, over the details' ids; or unknown
};

/// The ids of the shards that the last command reached; nothing where they aren't known.
[[nodiscard]] std::optional<std::vector<std::string>> fanout_of(const shape_delta& delta);

}  // namespace scattergate::telemetry
