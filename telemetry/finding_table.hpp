#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "telemetry/finding.hpp"
#include "telemetry/finding_index.hpp"

namespace scattergate::telemetry {

/// The findings of one worker: a bounded table that counts them as their commands complete,
/// and hands the counts over. At the cap further findings fold into one `__other__`.
/// Thread-safety: one thread.
class finding_table {
 public:
  /// A finding under way: from the command to its reply. Valid until completed.
  struct ticket {
    std::uint32_t finding = 0;
    std::uint32_t caller = 0;
  };

  explicit finding_table(std::size_t max_shapes);
  ~finding_table();

  /// Whether begin() takes `key` as it is (else begin_new() wants details): it is known, or
  /// the table is full and would fold it.
  [[nodiscard]] bool contains(const finding_key& key) const noexcept;

  /// Begins a finding whose key contains() takes. No heap where the caller is known too.
  [[nodiscard]] ticket begin(const finding_key& key, const caller_view& caller);

  /// Begins a finding seen first, or whose details are to be renewed; at the cap it goes to
  /// `__other__`.
  [[nodiscard]] ticket begin_new(finding_details details, const caller_view& caller);

  /// Begins one more of a finding that was begun since the last renew_details(). No heap where
  /// the caller is known too.
  [[nodiscard]] ticket begin_again(ticket of, const caller_view& caller) {
    return begin_at(of.finding, caller);
  }

  /// Counts the finding, at its reply, its rejection or its disconnect. True where it is the
  /// first of its key on this worker: hand over now, the audit log writes it at once.
  [[nodiscard]] bool complete(ticket of, std::chrono::nanoseconds duration) noexcept;

  /// Takes all counts since the last call, and starts from zero. Cheap where nothing came.
  [[nodiscard]] std::vector<finding_delta> take();

  /// After a reload of the catalog or the rules: what is said of known findings is stale, and
  /// contains() takes their keys again when begin_new() has brought it anew.
  void renew_details() noexcept { ++generation_; }

  [[nodiscard]] std::uint64_t overflow_count() const noexcept;  ///< findings folded

 private:
  struct entry;
  static constexpr std::uint32_t other = 0;  ///< the position of `__other__`

  [[nodiscard]] bool is_full() const noexcept { return entries_.size() > max_shapes_; }
  [[nodiscard]] ticket begin_at(std::uint32_t position, const caller_view& caller);
  std::uint32_t add_entry(std::shared_ptr<const finding_details> details);

  finding_index index_;
  std::vector<std::unique_ptr<entry>> entries_;
  std::vector<std::uint32_t> dirty_;  // entries with a count; has room for all of them
  std::size_t max_shapes_;
  std::uint64_t overflow_ = 0;
  std::uint64_t generation_ = 0;
};

}  // namespace scattergate::telemetry
