#include "telemetry/admin/shapes_answer.hpp"

#include <algorithm>

#include "digest/filter_fields.hpp"
#include "digest/json.hpp"
#include "routing/shape/shape.hpp"
#include "telemetry/admin/api_parts.hpp"
#include "telemetry/shapes/shape_kind.hpp"

namespace scattergate::telemetry {
namespace {

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
