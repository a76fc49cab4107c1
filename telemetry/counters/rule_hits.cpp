#include "telemetry/counters/rule_hits.hpp"

#include "text/utf8.hpp"
#include "wire/label_table.hpp"

namespace scattergate::telemetry {
namespace {

constexpr wire::label_table<rule_hit> hit_labels{{
    {rule_hit::observed, "observed"},
    {rule_hit::accepted, "accepted"},
    {rule_hit::throttled, "throttled"},
    {rule_hit::refused, "refused"},
    {rule_hit::rejected, "rejected"},
    {rule_hit::expired, "expired"},
    {rule_hit::would_observe, "would_observe"},
    {rule_hit::would_accept, "would_accept"},
    {rule_hit::would_throttle, "would_throttle"},
    {rule_hit::would_reject, "would_reject"},
}};

}  // namespace

std::string_view label(rule_hit hit) noexcept {
  return hit_labels[hit];
}

rule_id rule_registry::admit(std::string_view name) {
  const std::string plain = text::to_plain(name);
  const std::lock_guard lock{mutex_};
  if (const auto known = ids_.find(plain); known != ids_.end()) return known->second;
  if (names_.size() == capacity) return other;
  const auto id = static_cast<rule_id>(names_.size());
  names_.push_back(plain);
  ids_.emplace(plain, id);
  return id;
}

std::vector<std::string> rule_registry::names() const {
  const std::lock_guard lock{mutex_};
  return names_;
}

}  // namespace scattergate::telemetry
