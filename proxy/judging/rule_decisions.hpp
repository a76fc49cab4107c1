#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "proxy/judging/judged_subject.hpp"
#include "proxy/judging/pending_request.hpp"
#include "proxy/policy.hpp"
#include "routing/scratch.hpp"
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

/// Applies the rules to a worker's commands: evaluates the policy at the current date, and
/// counts the dry-run rules that match. Thread-safety: the worker's thread.
class rule_decisions {
 public:
  explicit rule_decisions(telemetry::worker_metrics& metrics) noexcept : counts_(metrics) {}

  /// Replaces the rules. `rules` must stay valid until the next set_rules() or the end of this
  /// object.
  void set_rules(const policy& rules) { counts_.set_rules(rules); }

  /// Sets today's date (UTC). Rules expire by this date. Returns true if a rule has expired
  /// since the previous date, or applies again because the clock was set back.
  [[nodiscard]] bool set_day(text::day today, const policy& rules);

  /// The facts about a request's client that rules match: application, user, address, and
  /// today's date. A view of the client's identity.
  [[nodiscard]] sender sender_of(const request_view& request) const noexcept;

  /// Decides by the rules what to do with a command. `memory`: scratch memory for computing the
  /// command's shape.
  [[nodiscard]] decision decide(const judged_subject& what, routing::scratch& memory);

  /// The rules' counters, and the dry-run rules that matched the last command.
  [[nodiscard]] rule_counts& counts() noexcept { return counts_; }

 private:
  rule_counts counts_;
  text::day today_{};
};

}  // namespace scattergate::proxy
