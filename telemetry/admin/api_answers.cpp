#include "telemetry/admin/api_answers.hpp"

#include <algorithm>
#include <cstdint>

#include "config/options/rule_match.hpp"
#include "config/text/extended_json.hpp"
#include "digest/filter_fields.hpp"
#include "digest/json.hpp"
#include "routing/shape/shape.hpp"
#include "telemetry/shapes/live_digest.hpp"
#include "text/json_writer.hpp"
#include "text/time_text.hpp"

namespace scattergate::telemetry {
namespace {

void append_condition(text::json_writer& json, const condition& of) {
  const condition_rules& rules = rules_of(of.kind);
  const condition_line& line = rules.begins;
  json.object();
  json.number("id", static_cast<std::uint64_t>(line.id));
  json.text("severity", severity_label(of.kind));
  json.text("kind", label(of.kind));
  json.text("subject", of.subject);
  json.text_or_null("listener", of.listener);
  json.text("message", line.message);
  json.text("detail", of.detail);
  json.text("whatToDo", rules.what_to_do);
  json.text("runbook", "runbook#" + std::string{rules.runbook});
  json.time("since", of.since);
  json.time("last", of.last);
  json.number("count", of.count);
  json.flag("active", of.active);
  json.end();
}

void append_hits(text::json_writer& to, const rule_total* of) {
  to.object("hits");
  for (std::size_t i = 0; of != nullptr && i < of->by_hit.size(); ++i) {
    if (of->by_hit[i] != 0) to.number(label(static_cast<rule_hit>(i)), of->by_hit[i]);
  }
  to.end();
}

void append_rule(text::json_writer& to, const config::rule& one, const rule_total* done,
                 bool is_catalog_stale) {
  to.object();
  to.text_or_null("name", one.name);
  to.text_or_null("action", label(one.action));
  to.flag("dryRun", one.dry_run);
  to.flag("catalogStale", is_catalog_stale && config::asks_catalog(one.match));
  to.text_or_null("until", one.until ? text::show_day(*one.until) : std::string{});
  to.text_or_null("why", one.why);
  to.text_or_null("by", one.by);
  to.text_or_null("writtenAt", one.written.place);
  append_hits(to, done);
  to.end();
}

/// Workers hand over their counts about once per second. So counts that are new in an event may
/// have been seen this long before the previous event.
constexpr std::chrono::seconds slack{3};

void append_actions(json_writer& to, const shape_marks* marks) {
  to.object("actions");
  for (std::size_t i = 0; marks != nullptr && i < marks->actions.size(); ++i) {
    if (marks->actions[i] == 0) continue;
    to.number(label(static_cast<finding_action>(i)), marks->actions[i]);
  }
  to.end();
}

/// Members that the daemon adds to the report's row; events have them too.
void append_known(json_writer& to, const digest::row& row, const live_digest::view& all) {
  const shape_marks* const marks = all.marks_of(row);
  to.text("kind", label(kind_of(row, all)));
  to.texts("fields", digest::filter_fields(row));
  to.number("refused", refused_of(marks));
  append_actions(to, marks);
  to.time_or_null("regressedAt", marks != nullptr ? marks->regressed_at : std::nullopt);
}

void append_row(json_writer& to, const digest::row& row, const live_digest::view& all,
                digest::wall_time since) {
  to.object();
  digest::append_members(to, row);
  append_known(to, row, all);
  to.flag("new", row.first_seen && *row.first_seen >= since);
  to.flag("resolved", is_resolved(row, all.marks_of(row), all.now, all.resolved_after));
  to.end();
}

void append_changed(json_writer& to, const digest::row& row, const live_digest::view& all) {
  to.object();
  to.text("shapeHash", routing::shape_hash_text(row.shape_hash));
  to.text("ns", row.name_space());
  to.text("command", row.command);
  to.text("routing", label(row.what.routing));
  to.number("count", row.count);
  to.number("errors", row.errors);
  to.number_or_null("wastedShardRequests", digest::waste_of(row));
  digest::append_durations(to, "durationMillis", row);
  to.time_or_null("lastSeen", row.last_seen);
  append_known(to, row, all);
  to.end();
}

}  // namespace

void append_conditions(text::json_writer& to, const std::vector<condition>& all) {
  to.array();
  for (const condition& each : all) append_condition(to, each);
  to.end();
}

std::string rules_json(std::span<const config::rule> rules,
                       const std::vector<rule_total>& totals, bool is_catalog_stale) {
  std::string text;
  text::json_writer json{text};
  json.object();
  json.number("schemaVersion", 1);
  json.array("rules");
  for (const config::rule& one : rules) {
    const auto done = std::ranges::find(totals, one.name, &rule_total::name);
    append_rule(json, one, done != totals.end() ? &*done : nullptr, is_catalog_stale);
  }
  json.end();
  json.end();
  return text + '\n';
}

void append_unix_time(json_writer& to, std::string_view name, std::int64_t seconds) {
  seconds == 0 ? to.null(name) : to.time(name, wall_time{std::chrono::seconds{seconds}});
}

std::optional<wall_time> parse_time(std::string_view text) {
  using std::chrono::milliseconds;
  constexpr auto most = std::chrono::duration_cast<milliseconds>(wall_time::duration::max());
  const auto millis = config::parse_time(text);
  if (!millis || *millis > most.count() || *millis < -most.count()) return std::nullopt;
  const wall_time time{milliseconds{*millis}};
  if (text::time_text(time) != text) return std::nullopt;  // another form of the time
  return time;
}

void append_counts(json_writer& to, const command_counts& counts) {
  to.number("commands", counts.commands());
  to.object("byRouting");
  for (std::size_t i = 0; i < routing::routing_class_count; ++i) {
    to.number(name_of(i), counts.of[i]);
  }
  to.end();
  for (std::size_t kind = routing::routing_class_count; kind < command_counts::kinds; ++kind) {
    const bool is_unknown = kind == command_counts::wasted && !counts.known_waste();
    is_unknown ? to.null(name_of(kind)) : to.number(name_of(kind), counts.of[kind]);
  }
}

void append_sums(json_writer& to, const collection_sums& of, wall_time now, wall_time began) {
  append_counts(to, of.counts);
  digest::append_durations(to, "durationMillis", of.total, of.longest, of.times);
  to.object("lastMinute");
  to.number("seconds", recent_counts::seconds(now, began));
  append_counts(to, of.recent.sum(now));
  to.end();
}

void append_head(json_writer& to, wall_time now) {
  to.number("schemaVersion", 1);
  to.time("generatedAt", now);
}

std::string shapes_json(const live_digest::view& all, digest::wall_time since,
                        std::size_t max_bytes) {
  const digest::table& of = all.shapes;
  std::string text;
  json_writer json{text};
  json.object();
  append_head(json, all.now);
  digest::append_window(json, of.all());
  json.texts("sources", {});
  digest::append_totals(json, of.all());
  json.null("truth");
  json.array("shapes");
  const auto rows = in_shown_order(all);
  std::size_t listed = 0;
  for (std::string row; listed < rows.size(); ++listed) {
    row.clear();
    json_writer one{row};
    append_row(one, *rows[listed], all, since);
    if (text.size() + row.size() > max_bytes) break;
    json.raw(row);
  }
  json.end();
  if (listed != rows.size()) json.number("shapesLeftOut", rows.size() - listed);
  json.end();
  return text + '\n';
}

std::string shape_json(const live_digest::view& all, std::uint64_t hash,
                       digest::wall_time since) {
  const auto rows = all.shapes.ranked();
  const auto is_of_hash = [hash](const digest::row* each) { return each->shape_hash == hash; };
  if (std::ranges::none_of(rows, is_of_hash)) return {};
  std::string text;
  json_writer json{text};
  json.object();
  append_head(json, all.now);
  json.array("shapes");
  for (const digest::row* each : rows) {
    if (is_of_hash(each)) append_row(json, *each, all, since);
  }
  json.end();
  json.end();
  return text + '\n';
}

void append_changed_shapes(json_writer& to, const live_digest::view& all,
                           digest::wall_time since, std::size_t most) {
  std::size_t listed = 0;
  std::size_t left_out = 0;
  to.array("shapes");
  for (const digest::row* each : in_shown_order(all)) {
    if (!each->last_seen || *each->last_seen < since - slack) continue;
    if (listed == most) {
      ++left_out;
      continue;
    }
    ++listed;
    append_changed(to, *each, all);
  }
  to.end();
  to.number("shapesLeftOut", left_out);
}

}  // namespace scattergate::telemetry
