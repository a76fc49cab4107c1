#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "routing/verdict.hpp"
#include "telemetry/worker_metrics.hpp"

namespace scattergate::telemetry {

/// What makes two findings the same line of the audit log.
struct finding_key {
  std::string_view database;
  std::string_view collection;
  routing::command_kind command{};
  std::uint64_t shape_hash = 0;
  routing::reason why{};
  finding_action action{};
  std::string_view rule;  ///< the deciding rule's name, empty by default
};

/// What the audit log says of a finding beside its key and its counts; made once, when a
/// worker sees the finding first.
struct finding_details {
  std::string database, collection, rule;
  routing::command_kind command{};
  std::uint64_t shape_hash = 0;
  routing::routing_class routing{};
  routing::bounds_kind bounds{};
  routing::reason why{};
  finding_action action{};
  std::string rule_why;
  std::string shard_key_json;         ///< {"project_id":1,...}
  std::vector<std::string> missing;
  std::string shape_json;
  std::vector<std::string> fanout;    ///< empty and !fanout_known: null
  bool fanout_known = false;
  std::string suggestion;
};

/// Who sent a command. A view; the table copies what it keeps. Comments are cut at 256 bytes.
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
  std::uint64_t count = 0;
  std::chrono::nanoseconds longest{0};
  std::chrono::nanoseconds total{0};
  std::vector<caller_count> callers;
  std::uint64_t other_callers = 0;  ///< commands of callers beyond the bound
};

/// The findings of one worker: a bounded table that counts them as their commands complete,
/// and hands the counts over. At the cap further findings fold into one `__other__`.
/// Thread-safety: one thread.
class finding_table {
 public:
  /// Callers kept apart per finding between two hand-overs.
  static constexpr std::size_t max_callers = 16;

  /// A finding under way: from the command to its reply. Valid until completed.
  struct ticket {
    std::uint32_t finding = 0;
    std::uint32_t caller = 0;
  };

  explicit finding_table(std::size_t max_shapes);
  ~finding_table();

  /// Whether the table knows `key` already (else begin() wants details).
  [[nodiscard]] bool contains(const finding_key& key) const noexcept;

  /// Begins a finding whose key contains() knows. No heap where the caller is known too.
  [[nodiscard]] ticket begin(const finding_key& key, const caller_view& caller);

  /// Begins a finding seen first; at the cap it goes to `__other__`.
  [[nodiscard]] ticket begin_new(finding_details details, const caller_view& caller);

  /// Counts the finding, at its reply, its rejection or its disconnect. True where it is the
  /// first of its key on this worker: hand over now, the audit log writes it at once.
  [[nodiscard]] bool complete(ticket ticket, std::chrono::nanoseconds duration) noexcept;

  /// Takes all counts since the last call, and starts from zero. Cheap where nothing came.
  [[nodiscard]] std::vector<finding_delta> take();

  [[nodiscard]] std::uint64_t overflow_count() const noexcept;  ///< findings folded

 private:
  struct entry;
  struct key_index;
  std::unique_ptr<key_index> index_;
  std::vector<std::unique_ptr<entry>> entries_;  // [0] is __other__
  std::vector<std::uint32_t> dirty_;
  std::size_t max_shapes_;
};

}  // namespace scattergate::telemetry
