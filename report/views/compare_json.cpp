// The part of compare_views that makes JSON.

#include <algorithm>
#include <chrono>

#include "digest/json.hpp"
#include "report/views/compare_views.hpp"
#include "report/views/report_json.hpp"
#include "text/json_writer.hpp"

namespace scattergate::report {
namespace {

using text::json_writer;

void append_number(json_writer& to, std::string_view name, double value) {
  to.decimal(name, value, 3);
}

void append_side(json_writer& to, std::string_view name, const report_model& of) {
  to.object(name);
  digest::append_window(to, of.shown().all());
  const auto hours = hours_of(of.shown().all());
  hours ? append_number(to, "hours", *hours) : to.null("hours");
  append_sources(to, of.sources);
  append_shown_totals(to, of);
  to.number("furtherShapes", of.shown().evicted_rows());
  to.end();
}

void append_aspects(json_writer& to, std::string_view name, const aspects& by, int direction) {
  to.array(name);
  for (std::size_t i = 0; i < by.size(); ++i) {
    if (by[i] == direction) to.text(label(static_cast<aspect>(i)));
  }
  to.end();
}

/// Appends values per hour, or absolute ones if the period is unknown.
void append_rates(json_writer& to, std::string_view name, const digest::row* of, double hours) {
  if (of == nullptr) return to.null(name);
  const auto append_rate = [&](std::string_view member, bool is_known, double in_all) {
    is_known ? append_number(to, member, in_all / hours) : to.null(member);
  };
  using millis = std::chrono::duration<double, std::milli>;
  to.object(name);
  append_rate("commands", true, static_cast<double>(of->count));
  append_rate("wastedShardRequests", of->shards.commands != 0,
              static_cast<double>(of->shards.wasted));
  append_rate("totalMillis", of->has_times(), millis{of->total}.count());
  to.end();
}

void append_shape(json_writer& to, std::string_view name, const digest::row* of,
                  const report_model& in) {
  if (of == nullptr) return to.null(name);
  to.name(name);
  digest::append_json(to, *of, label(baseline_state::none), in.sender());
}

void append_change(json_writer& to, const compare_model& of, const shape_change& one) {
  to.object();
  append_aspects(to, "worse", one.by, 1);
  append_aspects(to, "better", one.by, -1);
  append_rates(to, "rateBefore", one.before, of.changes.hours_before());
  append_rates(to, "rateAfter", one.after, of.changes.hours_after());
  append_shape(to, "before", one.before, of.before);
  append_shape(to, "after", one.after, of.after);
  to.end();
}

}  // namespace

std::string compare_json(const compare_model& of) {
  std::string text;
  json_writer json{text};
  json.object();
  json.number("schemaVersion", 1);
  json.time_or_null("comparedAt", of.generated_at);
  append_side(json, "before", of.before);
  append_side(json, "after", of.after);
  json.text("rates", of.changes.is_by_hour() ? "perHour" : "inAll");
  json.object("counts");
  for (std::size_t i = 0; i < change_count; ++i) {
    const auto kind = static_cast<change>(i);
    json.number(label(kind), of.changes.of(kind).size());
  }
  json.end();
  for (const auto& [kind, title] : listed_changes) {
    const auto& all = of.changes.of(kind);
    json.array(label(kind));
    for (std::size_t i = 0; i < std::min(all.size(), of.top.value_or(all.size())); ++i) {
      append_change(json, of, all[i]);
    }
    json.end();
  }
  json.end();
  return text + '\n';
}

}  // namespace scattergate::report
