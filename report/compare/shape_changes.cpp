#include "report/compare/shape_changes.hpp"

#include <algorithm>

#include "digest/finding.hpp"
#include "wire/label_table.hpp"

namespace scattergate::report {
namespace {

constexpr wire::label_table<change> changes{{
    {change::is_new, "new"},
    {change::gone, "gone"},
    {change::worse, "worse"},
    {change::better, "better"},
    {change::same, "same"},
}};
constexpr wire::label_table<aspect> aspect_names{{
    {aspect::routing, "routing"},
    {aspect::fanout, "fanout"},
    {aspect::count, "count"},
    {aspect::time, "time"},
}};

/// Factors by which a fan-out and a rate must rise to count.
constexpr double more_shards = 1.1;
constexpr double more_per_hour = 1.5;
constexpr std::uint64_t least_commands = 5;
constexpr std::chrono::milliseconds least_time{10};

/// 1: `after` is larger by the factor; -1: `before` is; otherwise 0.
int grown(double before, double after, double factor) {
  if (after > before * factor) return 1;
  return before > after * factor ? -1 : 0;
}

double mean_fanout(const digest::row& of) {
  return static_cast<double>(of.shards.asked) / static_cast<double>(of.shards.commands);
}

int worse_class(const digest::row& before, const digest::row& after) {
  if (digest::is_worse(after.what.routing, before.what.routing)) return 1;
  return digest::is_worse(before.what.routing, after.what.routing) ? -1 : 0;
}

}  // namespace

std::string_view label(change of) noexcept {
  return changes[of];
}

std::string_view label(aspect of) noexcept {
  return aspect_names[of];
}

std::optional<double> hours_of(const digest::totals& of) noexcept {
  using hours = std::chrono::duration<double, std::ratio<3600>>;
  if (!of.from || !of.to) return std::nullopt;
  // In floating point, any two times have a difference.
  const hours between = hours{of.to->time_since_epoch()} - hours{of.from->time_since_epoch()};
  constexpr hours least = std::chrono::seconds{1};
  return between < least ? std::nullopt : std::optional{between.count()};
}

shape_changes::shape_changes(const digest::table& before, const digest::table& after) {
  const auto first = hours_of(before.all());
  const auto second = hours_of(after.all());
  is_by_hour_ = first && second;
  if (is_by_hour_) {
    hours_before_ = *first;
    hours_after_ = *second;
  }
  const auto add = [this](const shape_change& one) {
    by_kind_[static_cast<std::size_t>(one.is)].push_back(one);
  };
  for (const digest::row* one : before.ranked()) {
    if (after.find(one->key()) == nullptr) add({one, nullptr, change::gone, {}});
  }
  for (const digest::row* one : after.ranked()) {
    const digest::row* const known = before.find(one->key());
    add(known == nullptr ? shape_change{nullptr, one, change::is_new, {}}
                         : compared(*known, *one));
  }
  for (auto& of_kind : by_kind_) {
    std::stable_partition(of_kind.begin(), of_kind.end(), [](const shape_change& one) {
      return digest::can_be_finding(one.shape());
    });
  }
}

shape_change shape_changes::compared(const digest::row& before,
                                     const digest::row& after) const {
  shape_change made{&before, &after, change::same, {}};
  const auto set = [&](aspect which, int by) { made.by[static_cast<std::size_t>(which)] = by; };
  set(aspect::routing, worse_class(before, after));
  if (before.shards.commands != 0 && after.shards.commands != 0) {
    set(aspect::fanout, grown(mean_fanout(before), mean_fanout(after), more_shards));
  }
  const auto by_hour = [&](auto value, double hours) {
    return static_cast<double>(value) / hours;
  };
  if (std::max(before.count, after.count) >= least_commands) {
    set(aspect::count, grown(by_hour(before.count, hours_before_),
                             by_hour(after.count, hours_after_), more_per_hour));
    const bool is_timed = before.has_times() && after.has_times();
    if (is_timed && std::max(before.total, after.total) >= least_time) {
      set(aspect::time, grown(by_hour(before.total.count(), hours_before_),
                              by_hour(after.total.count(), hours_after_), more_per_hour));
    }
  }
  if (std::ranges::find(made.by, 1) != made.by.end()) {
    made.is = change::worse;
  } else if (std::ranges::find(made.by, -1) != made.by.end()) {
    made.is = change::better;
  }
  return made;
}

}  // namespace scattergate::report
