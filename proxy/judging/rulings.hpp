#pragma once

#include "proxy/judging/judged_subject.hpp"
#include "proxy/judging/rule_counts.hpp"
#include "proxy/policy.hpp"
#include "routing/scratch.hpp"

namespace scattergate::proxy {

/// What the rules say of the commands of a worker: asks the policy, on the day that it is, and
/// notes the dry runs that match.
class rulings {
 public:
  explicit rulings(telemetry::worker_metrics& metrics) noexcept : counts_(metrics) {}

  /// The rules that are counted from now on.
  void use(const policy& rules) { counts_.use(rules); }

  /// What day it is, in UTC: rules may hold until one. True where `rules` differ between the
  /// day before and this one.
  [[nodiscard]] bool set_day(text::day today, const policy& rules);

  /// Whom the rules see in a request's client.
  [[nodiscard]] sender sender_of(const request_view& request) const noexcept;

  /// Decides on a command. `memory` is lent for its shape.
  [[nodiscard]] decision decide(const judged_subject& what, routing::scratch& memory);

  /// The rules as they are counted, and the dry runs that matched what was decided last.
  [[nodiscard]] rule_counts& counts() noexcept { return counts_; }

 private:
  rule_counts counts_;
  text::day today_{};
};

}  // namespace scattergate::proxy
