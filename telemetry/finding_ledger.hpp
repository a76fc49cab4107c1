#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "telemetry/finding.hpp"
#include "telemetry/finding_index.hpp"

namespace scattergate::telemetry {

/// What all workers' findings add up to, key by key: at most `max_shapes` of them, and one
/// `__other__` for the rest.
/// Thread-safety: one thread.
class finding_ledger {
 public:
  /// One finding's account: what came since its last line.
  struct account {
    finding_delta outstanding;  ///< details are always set
    bool has_line = false;      ///< a line was written for it, now or earlier
    bool awaits_line = false;   ///< its first line is due
  };

  explicit finding_ledger(std::size_t max_shapes);

  /// Adds what a worker hands over; the latest details stand. The account it went to.
  account& add(finding_delta delta);

  /// All accounts, `__other__` first.
  [[nodiscard]] std::vector<std::unique_ptr<account>>& accounts() noexcept { return accounts_; }

  [[nodiscard]] bool is_other(const account& of) const noexcept {
    return &of == accounts_.front().get();
  }

 private:
  account& account_of(const finding_delta& delta);

  std::size_t max_shapes_;
  finding_index index_;
  std::vector<std::unique_ptr<account>> accounts_;
};

/// Adds one delta's counts to another's; callers beyond max_callers fold into the others.
void merge(finding_delta& to, const finding_delta& from);

/// Folds deltas of one key into one, and those beyond `max_shapes` keys into `__other__`.
[[nodiscard]] std::vector<finding_delta> compacted(std::vector<finding_delta> deltas,
                                                   std::size_t max_shapes);

}  // namespace scattergate::telemetry
