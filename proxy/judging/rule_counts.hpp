#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "proxy/judging/pending_request.hpp"
#include "proxy/policy.hpp"
#include "telemetry/counters/worker_metrics.hpp"

namespace scattergate::proxy {

/// The action that metrics and the audit log report for a finding. `made`: the policy's
/// decision on the finding.
[[nodiscard]] telemetry::finding_action action_of(const decision& made) noexcept;

/// The cause that metrics and the audit log report for a finding: routing::cause_of(). If there
/// is none, and the command may touch more namespaces than were judged: `unreadable`.
[[nodiscard]] routing::cause finding_cause_of(const routing::verdict& verdict) noexcept;

/// Counts a completed command for the rule that decided on it, and the finding that a dry-run
/// rule would have made of it. `ns`: the metric label of the command's namespace.
void count_rules(const pending_request& request, telemetry::namespace_id ns,
                 telemetry::worker_metrics& metrics);

/// Counts how often each rule of a policy matches: maps the rules to their counters, and counts
/// the dry-run rules that match the current command. Thread-safety: one thread at a time.
class rule_counts {
 public:
  explicit rule_counts(telemetry::worker_metrics& metrics) noexcept : metrics_(metrics) {}

  /// Assigns counters to the rules of a new policy. `rules` must stay valid until the next
  /// set_rules() or the end of this object.
  void set_rules(const policy& rules);

  /// The rule's counter. REQUIRES: `rule` belongs to the rules of the last set_rules().
  [[nodiscard]] telemetry::rule_id id_of(const config::rule& rule) const noexcept {
    return ids_[static_cast<std::size_t>(&rule - rules_->all().data())];
  }

  /// Starts a new command: forgets the dry-run rules that matched the previous command.
  void begin() noexcept {
    ++command_;
    has_dry_runs_ = false;
    found_.reset();
  }
  /// Records that a dry-run rule matches the current command. Counts the rule at most once per
  /// command. `seen`: the command's verdict in the namespace that the rule matches.
  void note_dry_run(const config::rule& rule, const routing::verdict& seen);
  /// Whether a dry-run rule matches the current command.
  [[nodiscard]] bool has_dry_runs() const noexcept { return has_dry_runs_; }
  /// The finding of the first dry-run rule that would have rejected or throttled the current
  /// command; std::nullopt if there is none.
  [[nodiscard]] const std::optional<dry_finding>& found() const noexcept { return found_; }

 private:
  telemetry::worker_metrics& metrics_;
  const policy* rules_ = nullptr;
  std::vector<telemetry::rule_id> ids_;   // by rule index
  std::vector<std::uint64_t> noted_for_;  // by rule index: the last command for which
                                          // note_dry_run() was called
  std::uint64_t command_ = 0;             // the current command's number
  bool has_dry_runs_ = false;
  std::optional<dry_finding> found_;
};

}  // namespace scattergate::proxy
