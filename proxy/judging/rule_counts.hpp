#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "proxy/judging/pending_request.hpp"
#include "proxy/policy.hpp"
#include "telemetry/counters/worker_metrics.hpp"

namespace scattergate::proxy {

/// What is said of a finding that a rule decides, or none.
[[nodiscard]] telemetry::finding_action action_of(const decision& made) noexcept;

/// Why a command is flagged: its lint where the class alone would not be.
[[nodiscard]] routing::cause cause_of(const routing::verdict& verdict) noexcept;

/// Counts the rule that decided a command that is over, and what a dry run would have done with
/// it; `ns` is the command's.
void count_rules(const pending_request& request, telemetry::namespace_id ns,
                 telemetry::worker_metrics& metrics);

/// The rules of a policy as they are counted, and the dry runs that match a command in hand.
/// Thread-safety: one thread at a time.
class rule_counts {
 public:
  explicit rule_counts(telemetry::worker_metrics& metrics) noexcept : metrics_(metrics) {}

  void use(const policy& rules);

  /// What the rule is counted as. REQUIRES: it is of the policy in use.
  [[nodiscard]] telemetry::rule_id id_of(const config::rule& rule) const noexcept {
    return ids_[static_cast<std::size_t>(&rule - rules_->all().data())];
  }

  /// A command is to be decided.
  void begin() noexcept {
    ++command_;
    has_dry_runs_ = false;
    found_.reset();
  }
  /// A dry run matches it, as `seen` by one of its namespaces. It counts once.
  void note_dry_run(const config::rule& rule, const routing::verdict& seen);
  [[nodiscard]] bool has_dry_runs() const noexcept { return has_dry_runs_; }
  /// What is to be found of them: the first that would have rejected or throttled.
  [[nodiscard]] const std::optional<dry_finding>& found() const noexcept { return found_; }

 private:
  telemetry::worker_metrics& metrics_;
  const policy* rules_ = nullptr;
  std::vector<telemetry::rule_id> ids_;   // by the rule's place
  std::vector<std::uint64_t> noted_for_;  // likewise: the last command that it was noted for
  std::uint64_t command_ = 0;
  bool has_dry_runs_ = false;
  std::optional<dry_finding> found_;
};

}  // namespace scattergate::proxy
