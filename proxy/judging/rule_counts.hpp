#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "proxy/judging/pending_request.hpp"
#include "proxy/policy.hpp"
#include "telemetry/counters/worker_metrics.hpp"

namespace scattergate::proxy {

/// The action to report for a finding that a rule decided, or none did.
[[nodiscard]] telemetry::finding_action action_of(const decision& made) noexcept;

/// Why a command is flagged: its lint if the class alone isn't a finding.
[[nodiscard]] routing::cause cause_of(const routing::verdict& verdict) noexcept;

/// Counts the rule that decided a completed command, and what dry runs would have done; `ns` is
/// the command's.
void count_rules(const pending_request& request, telemetry::namespace_id ns,
                 telemetry::worker_metrics& metrics);

/// The counters of a policy's rules, and the dry runs that match the current command.
/// Thread-safety: one thread at a time.
class rule_counts {
 public:
  explicit rule_counts(telemetry::worker_metrics& metrics) noexcept : metrics_(metrics) {}

  void set_rules(const policy& rules);

  /// The rule's counter. REQUIRES: it belongs to the policy in use.
  [[nodiscard]] telemetry::rule_id id_of(const config::rule& rule) const noexcept {
    return ids_[static_cast<std::size_t>(&rule - rules_->all().data())];
  }

  /// Starts a new command.
  void begin() noexcept {
    ++command_;
    has_dry_runs_ = false;
    found_.reset();
  }
  /// Records that a dry run matches the command, by the verdict `seen` in one of its
  /// namespaces. Counts once per command.
  void note_dry_run(const config::rule& rule, const routing::verdict& seen);
  [[nodiscard]] bool has_dry_runs() const noexcept { return has_dry_runs_; }
  /// The finding of the dry runs: the first that would have rejected or throttled.
  [[nodiscard]] const std::optional<dry_finding>& found() const noexcept { return found_; }

 private:
  telemetry::worker_metrics& metrics_;
  const policy* rules_ = nullptr;
  std::vector<telemetry::rule_id> ids_;   // by rule index
  std::vector<std::uint64_t> noted_for_;  // by rule index: the last command that it was
                                          // recorded for
  std::uint64_t command_ = 0;
  bool has_dry_runs_ = false;
  std::optional<dry_finding> found_;
};

}  // namespace scattergate::proxy
