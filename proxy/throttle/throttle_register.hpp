#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "proxy/throttle/throttle.hpp"

namespace scattergate::proxy {

/// The throttles of the rules in use, which outlive the rules. If a reload keeps a rule, or
/// only changes its limits, all waiters keep their places in its queue; if it removes the rule,
/// all are admitted. Thread-safety: one thread at a time.
class throttle_register {
 public:
  /// The throttles of these rules, by rule index; null for a rule that doesn't throttle.
  [[nodiscard]] std::vector<std::shared_ptr<throttle>> renew(
      std::span<const config::rule> rules, throttle::clock::time_point now);

 private:
  std::map<std::string, std::shared_ptr<throttle>> by_name_;
};

}  // namespace scattergate::proxy
