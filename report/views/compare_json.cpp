// The part of compare_views for programs.

#include <array>
#include <cstdio>

#include "digest/json.hpp"
#include "digest/json_parts.hpp"
#include "digest/object_writer.hpp"
#include "report/views/compare_views.hpp"
#include "report/views/report_json.hpp"
#include "text/json_text.hpp"

namespace scattergate::report {
namespace {

using digest::object_writer;

std::string number(double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.3f", value);
  return text.data();
}

void append_side(object_writer& whole, std::string& to, std::string_view name,
                 const report_model& of) {
  whole.head(name);
  object_writer side{to};
  side.head("window");
  digest::append_window(to, of.shown().all());
  const auto hours = hours_of(of.shown().all());
  side.raw("hours", hours ? number(*hours) : "null");
  side.head("sources");
  append_sources(to, of.sources);
  side.text("unit", of.shows_requests() ? "shardRequests" : "commands");
  side.head("totals");
  if (of.shows_requests()) {
    digest::append_json(to, of.table.all(), of.shown().all().commands);
  } else {
    digest::append_json(to, of.table.all());
  }
  side.number("furtherShapes", of.shown().evicted_rows());
  side.end();
}

void append_aspects(object_writer& entry, std::string& to, std::string_view name,
                    const aspects& by, int wanted) {
  entry.head(name);
  to += '[';
  for (std::size_t i = 0; i < by.size(); ++i) {
    if (by[i] != wanted) continue;
    if (to.back() != '[') to += ',';
    text::append_json_string(to, label(static_cast<aspect>(i)));
  }
  to += ']';
}

/// By hour, or as they are where the time isn't known.
void append_rates(object_writer& entry, std::string& to, std::string_view name,
                  const digest::row* of, double hours) {
  if (of == nullptr) return entry.raw(name, "null");
  entry.head(name);
  object_writer rates{to};
  rates.raw("commands", number(static_cast<double>(of->count) / hours));
  rates.raw("wastedShardRequests",
            of->shards.commands == 0 ? "null"
                                     : number(static_cast<double>(of->shards.wasted) / hours));
  using millis = std::chrono::duration<double, std::milli>;
  rates.raw("totalMillis",
            of->has_times() ? number(millis{of->total}.count() / hours) : "null");
  rates.end();
}

void append_shape(object_writer& entry, std::string& to, std::string_view name,
                  const digest::row* of, const report_model& in) {
  if (of == nullptr) return entry.raw(name, "null");
  entry.head(name);
  digest::append_json(to, *of, label(baseline_state::none), in.sender());
}

void append_change(std::string& to, const compare_model& of, const shape_change& one) {
  object_writer entry{to};
  append_aspects(entry, to, "worse", one.by, 1);
  append_aspects(entry, to, "better", one.by, -1);
  append_rates(entry, to, "rateBefore", one.before, of.changes.hours_before());
  append_rates(entry, to, "rateAfter", one.after, of.changes.hours_after());
  append_shape(entry, to, "before", one.before, of.before);
  append_shape(entry, to, "after", one.after, of.after);
  entry.end();
}

}  // namespace

std::string compare_json(const compare_model& of) {
  std::string to;
  object_writer whole{to};
  whole.number("schemaVersion", 1);
  whole.raw("comparedAt", digest::time_json(of.generated_at));
  append_side(whole, to, "before", of.before);
  append_side(whole, to, "after", of.after);
  whole.text("rates", of.changes.is_by_hour() ? "perHour" : "inAll");
  whole.head("counts");
  object_writer counts{to};
  for (std::size_t i = 0; i < change_count; ++i) {
    const auto kind = static_cast<change>(i);
    counts.number(label(kind), of.changes.of(kind).size());
  }
  counts.end();
  for (const auto& [kind, title] : listed_changes) {
    const auto& all = of.changes.of(kind);
    whole.head(label(kind));
    to += '[';
    for (std::size_t i = 0; i < std::min(all.size(), of.top.value_or(all.size())); ++i) {
      if (i != 0) to += ',';
      append_change(to, of, all[i]);
    }
    to += ']';
  }
  whole.end();
  return to + "\n";
}

}  // namespace scattergate::report
