#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "proxy/throttle/throttle.hpp"

namespace scattergate::proxy {

/// The throttles of the rules in use, which outlive the rules: a reload that leaves a rule as
/// it is, or only changes its limits, leaves everybody his place in its queue; where the rule
/// is gone, everybody goes on. Thread-safety: one thread at a time.
class throttle_register {
 public:
  /// The throttles of these rules, by their places; null for a rule that holds nobody up.
  [[nodiscard]] std::vector<std::shared_ptr<throttle>> renew(
      std::span<const config::rule> rules, throttle::clock::time_point now);

 private:
  std::map<std::string, std::shared_ptr<throttle>> by_name_;
};

}  // namespace scattergate::proxy
