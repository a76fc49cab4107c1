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

#include "routing/verdict.hpp"
#include "telemetry/counters/worker_metrics.hpp"
#include "telemetry/memory_budget.hpp"

namespace scattergate::telemetry {

/// What makes two findings the same line of the audit log.
struct finding_key {
  std::string_view database;
  std::string_view collection;
  routing::command_kind command{};
  std::uint64_t shape_hash = 0;
  routing::cause why;
  finding_action action{};
  std::string_view rule;  ///< the deciding rule's name, empty by default
};

/// The ids of a catalog's shards, in the order in which the bits of a fan-out number them.
using shard_ids = std::shared_ptr<const std::vector<std::string>>;

/// The shards that a command reaches: bits over a list of ids. A view.
struct fanout_view {
  const std::vector<std::string>* ids = nullptr;
  std::span<const std::uint64_t> bits;
};

/// Whether a finding is one of its own, or stands for many.
enum class finding_scope : std::uint8_t {
  own,
  other,   ///< `__other__`: those beyond the cap on shapes
  failed,  ///< `__failed__`: those whose commands have earned no key of their own
};

/// What the audit log says of a finding beside its key and its counts; made once, when a
/// worker sees the finding first.
struct finding_details {
  std::string database, collection, rule;
  routing::command_kind command{};
  std::uint64_t shape_hash = 0;
  routing::routing_class routing{};
  routing::bounds_kind bounds{};
  routing::cause why;
  finding_action action{};
  std::string rule_why;
  std::string shard_key_json;  ///< {"project_id":1,...}
  std::vector<std::string> missing;
  std::vector<std::string> lints;  ///< reasons beside the class's, or the only one
  std::string shape_json;
  shard_ids shards;  ///< null: no catalog tells
  std::vector<std::uint64_t>
      fanout;  ///< of the command that they were made from; empty: unknown
  std::string suggestion;
  finding_scope scope = finding_scope::own;

  /// What it takes, in bytes, about.
  [[nodiscard]] std::size_t footprint_bytes() const noexcept;
  [[nodiscard]] bool is_shared() const noexcept { return scope != finding_scope::own; }
};

/// The key of the finding that `details` tell of; a view into them.
[[nodiscard]] finding_key key_of(const finding_details& details) noexcept;

/// What stands in a shared finding's line for its command, namespace and hash.
[[nodiscard]] std::string_view label(finding_scope scope) noexcept;

/// What is said of a finding, for all who tell of it. Its bytes are out of `memory` as long as
/// anybody has them, those of its places and texts in the tables included; null where there is
/// no room for them. `memory` must outlive it. Allocates.
[[nodiscard]] std::shared_ptr<const finding_details> keep_details(finding_details details,
                                                                  memory_budget& memory);

/// The details of a shared finding.
[[nodiscard]] std::shared_ptr<const finding_details> shared_finding(finding_scope scope);

/// What of a caller's texts is kept, in bytes.
inline constexpr std::size_t max_caller_text = 256;

/// Callers kept apart per finding between two hand-overs.
inline constexpr std::size_t max_callers = 16;

/// Who sent a command. A view; the table copies what it keeps, each text cut at
/// max_caller_text.
struct caller_view {
  std::string_view app_name, driver, user, remote, comment;
};

/// Who sent how many.
struct caller_count {
  std::string app_name, driver, user, remote, comment;
  std::uint64_t count = 0;
};

/// What came of one finding since it was last handed over.
struct finding_delta {
  std::shared_ptr<const finding_details> details;
  std::vector<std::uint64_t>
      fanout;  ///< of its last command, over the details' ids; or unknown
  std::uint64_t count = 0;
  std::chrono::nanoseconds longest{0};
  std::chrono::nanoseconds total{0};
  std::vector<caller_count> callers;
  std::uint64_t other_callers = 0;  ///< commands of callers beyond the bound
};

/// The ids of the shards that the last command reached; nothing where they aren't known.
[[nodiscard]] std::optional<std::vector<std::string>> fanout_of(const finding_delta& delta);

}  // namespace scattergate::telemetry
