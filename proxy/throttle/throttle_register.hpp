#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "proxy/throttle/throttle.hpp"

namespace scattergate::proxy {

/// The throttles of all rules, by rule name. They survive reloads. If a rule stays, even with
/// other limits, its waiting requests keep their places. If it is removed, they are all
/// admitted. Thread-safety: one thread at a time.
class throttle_register {
 public:
  /// Replaces the rules by these. Returns their throttles, by rule index; null for a rule that
  /// doesn't throttle.
  [[nodiscard]] std::vector<std::shared_ptr<throttle>> renew(
      std::span<const config::rule> rules, throttle::clock::time_point now);

 private:
  std::map<std::string, std::shared_ptr<throttle>> by_name_;
};

}  // namespace scattergate::proxy
