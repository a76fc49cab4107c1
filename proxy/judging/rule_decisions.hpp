#pragma once

#include "proxy/judging/judged_subject.hpp"
#include "proxy/judging/rule_counts.hpp"
#include "proxy/policy.hpp"
#include "routing/scratch.hpp"

namespace scattergate::proxy {

/// Applies the rules to a worker's commands: evaluates the policy at the current date, and
/// counts matching dry runs.
class rule_decisions {
 public:
  explicit rule_decisions(telemetry::worker_metrics& metrics) noexcept : counts_(metrics) {}

  /// Counts the rules of this policy from now on.
  void set_rules(const policy& rules) { counts_.set_rules(rules); }

  /// Sets today's date (UTC), by which rules may expire. Returns true if other rules apply than
  /// before.
  [[nodiscard]] bool set_day(text::day today, const policy& rules);

  /// The client of a request as the rules see it.
  [[nodiscard]] sender sender_of(const request_view& request) const noexcept;

  /// Decides on a command. `memory`: scratch memory for its shape.
  [[nodiscard]] decision decide(const judged_subject& what, routing::scratch& memory);

  /// The rules' counters, and the dry runs that matched the last command.
  [[nodiscard]] rule_counts& counts() noexcept { return counts_; }

 private:
  rule_counts counts_;
  text::day today_{};
};

}  // namespace scattergate::proxy
