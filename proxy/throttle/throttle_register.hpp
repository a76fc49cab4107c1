#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "proxy/throttle/throttle.hpp"

namespace scattergate::proxy {

/// The throttles (rate limiters) of all rules, by rule name. Throttles survive reloads. If a
/// rule stays, even with other limits, its waiting requests keep their places in the queue. If
/// a rule is removed, its waiting requests are all admitted. Thread-safety: one thread at a
/// time.
class throttle_register {
 public:
  /// Replaces the previous rules by `rules`. Returns the throttle of each rule, in the order
  /// of `rules`; null for a rule that doesn't throttle, or is a dry run. If several rules have
  /// the same name, only the first keeps its previous throttle.
  [[nodiscard]] std::vector<std::shared_ptr<throttle>> renew(
      std::span<const config::rule> rules, throttle::clock::time_point now);

 private:
  std::map<std::string, std::shared_ptr<throttle>> by_name_;
};

}  // namespace scattergate::proxy
