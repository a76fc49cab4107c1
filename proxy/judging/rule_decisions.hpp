#pragma once

#include "proxy/judging/judged_subject.hpp"
#include "proxy/judging/rule_counts.hpp"
#include "proxy/policy.hpp"
#include "routing/scratch.hpp"

namespace scattergate::proxy {

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
