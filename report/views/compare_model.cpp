#include "report/views/compare_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "digest/number_text.hpp"
#include "digest/words.hpp"
#include "text/time_text.hpp"

namespace scattergate::report {
namespace {

using digest::with_commas;

std::string decimal(double value, const char* format) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

/// Shows fractions for small values only.
std::string rate_text(double value) {
  constexpr double whole_from = 100;
  constexpr double least_shown = 0.01;
  if (value > 0 && value < least_shown) return "< 0.01";
  if (value > 0 && value < 1) return decimal(value, "%.2f");
  if (value < whole_from && value != std::floor(value)) return decimal(value, "%.1f");
  constexpr double most = 1e18;
  return with_commas(static_cast<std::uint64_t>(std::llround(std::min(value, most))));
}

std::string nanos_text(double nanos) {
  constexpr double most = 9e18;
  return digest::duration_text(std::chrono::nanoseconds{std::llround(std::min(nanos, most))});
}

/// No more precise than the durations were.
std::string time_by(const digest::row& of, double hours) {
  if (of.total < of.resolution) return digest::duration_text(of, of.total);
  return nanos_text(static_cast<double>(of.total.count()) / hours);
}

/// The sum of all commands in a report.
digest::part_sums all_parts(const report_model& of) {
  digest::part_sums all;
  if (of.shown_parts() == nullptr) return all;
  for (const auto& [when, sums] : of.shown_parts()->by_hour.all()) all.add(sums);
  all.add(of.shown_parts()->by_hour.others());
  return all;
}

std::string change_of(double before, double after) {
  if (before == 0) return {};
  return decimal(100 * (after - before) / before, "%+.1f %%");
}

compared_sum sum_of(const compare_model& of, const std::string& name, std::uint64_t before,
                    std::uint64_t after) {
  const double first = static_cast<double>(before) / of.changes.hours_before();
  const double second = static_cast<double>(after) / of.changes.hours_after();
  return {name, rate_text(first), rate_text(second), change_of(first, second)};
}

/// Both sides' values: "1,200 -> 3,400".
std::string arrow(const std::string& before, const std::string& after) {
  return before + " -> " + after;
}

}  // namespace

std::vector<compared_sum> sums_of(const compare_model& of) {
  const digest::totals& before = of.before.shown().all();
  const digest::totals& after = of.after.shown().all();
  std::vector<compared_sum> sums = {
      sum_of(of, std::string{of.after.unit()}, before.commands, after.commands),
      sum_of(of, "of them scatter", scatters_of(before), scatters_of(after)),
      sum_of(of, "errors", before.errors, after.errors)};
  if (before.shards.asked != 0 && after.shards.asked != 0) {
    sums.push_back(
        sum_of(of, "wasted shard requests", before.shards.wasted, after.shards.wasted));
  }
  const digest::part_sums first = all_parts(of.before);
  const digest::part_sums second = all_parts(of.after);
  if (first.timed != 0 && second.timed != 0) {
    const double nanos_before =
        static_cast<double>(first.time.count()) / of.changes.hours_before();
    const double nanos_after =
        static_cast<double>(second.time.count()) / of.changes.hours_after();
    sums.push_back({"time", nanos_text(nanos_before), nanos_text(nanos_after),
                    change_of(nanos_before, nanos_after)});
  }
  return sums;
}

std::string basis_text(const compare_model& of) {
  return of.changes.is_by_hour() ? "by hour" : "in all";
}

std::string counts_text(const compare_model& of) {
  std::string text;
  for (const change kind : {change::is_new, change::gone, change::worse, change::better}) {
    text += with_commas(of.changes.of(kind).size()) + " " + std::string{label(kind)} + ", ";
  }
  return text + with_commas(of.changes.of(change::same).size()) + " as before";
}

std::string side_text(const report_model& of) {
  const digest::totals& all = of.shown().all();
  std::string text = with_commas(all.commands) + " " + std::string{of.unit()};
  if (all.from && all.to) {
    text += ", " + text::time_text(*all.from) + " to " + text::time_text(*all.to);
  }
  return text;
}

std::vector<std::string> limits_of(const compare_model& of) {
  std::vector<std::string> lines;
  const auto note = [&](const report_model& side, const std::string& name,
                        const std::string& kind) {
    if (const std::uint64_t further = side.shown().evicted_rows(); further != 0) {
      lines.push_back(name + " counts " + with_commas(further) +
                      " further shapes that it doesn't list: shapes shown as " + kind +
                      " may be among them");
    }
  };
  note(of.before, "the first", "new");
  note(of.after, "the second", "gone");
  if (!of.changes.is_by_hour()) {
    lines.push_back(
        "one side has no times, or covers less than a second: totals are compared, not rates "
        "per hour");
  }
  if (of.before.unit() != of.after.unit()) {
    lines.push_back(
        "one side counts commands, the other shard requests: the numbers aren't comparable");
  }
  return lines;
}

shape_sums sums_of(const digest::row& one, double hours) {
  const bool is_known = one.shards.commands != 0;
  const auto by_hour = [&](std::uint64_t value) {
    return rate_text(static_cast<double>(value) / hours);
  };
  return {by_hour(one.count),
          is_known ? decimal(static_cast<double>(one.shards.asked) /
                                 static_cast<double>(one.shards.commands),
                             "%.1f")
                   : "?",
          is_known ? by_hour(one.shards.wasted) : "?",
          one.has_times() ? time_by(one, hours) : "-"};
}

std::string change_text(const compare_model& of, const shape_change& one) {
  if (one.before == nullptr || one.after == nullptr) return {};
  const shape_sums before = sums_of(*one.before, of.changes.hours_before());
  const shape_sums after = sums_of(*one.after, of.changes.hours_after());
  const auto is_changed = [&](aspect which) {
    return one.by[static_cast<std::size_t>(which)] != 0;
  };
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (is_changed(aspect::routing)) {
    add("routing " + arrow(std::string{label(one.before->what.routing)},
                           std::string{label(one.after->what.routing)}));
  }
  if (is_changed(aspect::fanout)) add("shards " + arrow(before.shards, after.shards));
  if (is_changed(aspect::count)) add("commands " + arrow(before.commands, after.commands));
  if (is_changed(aspect::time)) add("time " + arrow(before.time, after.time));
  return text;
}

}  // namespace scattergate::report
