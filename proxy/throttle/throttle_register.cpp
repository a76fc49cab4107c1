#include "proxy/throttle/throttle_register.hpp"

#include <utility>

namespace scattergate::proxy {

std::vector<std::shared_ptr<throttle>> throttle_register::renew(
    std::span<const config::rule> rules, throttle::clock::time_point now) {
  auto before = std::exchange(by_name_, {});
  std::vector<std::shared_ptr<throttle>> made(rules.size());
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const config::rule& rule = rules[i];
    if (rule.action != config::rule_action::throttle || rule.dry_run) continue;
    // A rule in the catalog may have the same name as one in the rules file, which precedes it.
    // Only the first one keeps its throttle over reloads.
    if (const auto known = by_name_.find(rule.name); known != by_name_.end()) {
      made[i] = std::make_shared<throttle>(rule.throttle, now);
      continue;
    }
    if (auto old = before.extract(rule.name)) {
      made[i] = std::move(old.mapped());
      made[i]->set_limits(rule.throttle, now);
    } else {
      made[i] = std::make_shared<throttle>(rule.throttle, now);
    }
    by_name_.emplace(rule.name, made[i]);
  }
  for (const auto& [name, gone] : before) gone->admit_all(now);
  return made;
}

}  // namespace scattergate::proxy
