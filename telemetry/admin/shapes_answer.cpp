#include "telemetry/admin/shapes_answer.hpp"

#include "digest/filter_fields.hpp"
#include "digest/json.hpp"
#include "routing/shape/shape.hpp"
#include "telemetry/admin/api_parts.hpp"
#include "telemetry/shapes/shape_kind.hpp"
#include "text/time_text.hpp"

namespace scattergate::telemetry {
namespace {

/// What is handed over once a second may be of the second before.
constexpr std::chrono::seconds slack{3};

std::string actions_json(const shape_marks* marks) {
  std::string text;
  digest::object_writer json{text};
  for (std::size_t i = 0; marks != nullptr && i < marks->actions.size(); ++i) {
    if (marks->actions[i] == 0) continue;
    json.number(label(static_cast<finding_action>(i)), marks->actions[i]);
  }
  json.end();
  return text;
}

std::string regressed_json(const shape_marks* marks) {
  return time_json(marks != nullptr ? marks->regressed_at : std::nullopt);
}

const char* true_or_false(bool is_so) {
  return is_so ? "true" : "false";
}

/// What the daemon knows of a row besides, and an event tells too.
std::string known_members(const digest::row& row, const live_digest::view& all) {
  const shape_marks* const marks = all.marks_of(row);
  std::string text;
  digest::object_writer json{text};
  json.text("kind", label(kind_of(row, all)));
  json.texts("fields", digest::filter_fields(row));
  json.number("refused", refused_of(marks));
  json.raw("actions", actions_json(marks));
  json.raw("regressedAt", regressed_json(marks));
  return text.substr(1);
}

void append_row(std::string& to, const digest::row& row, const live_digest::view& all,
                digest::wall_time since) {
  const shape_marks* const marks = all.marks_of(row);
  digest::append_json(to, row);
  to.pop_back();  // its '}': there is more
  to += "," + known_members(row, all) + R"(,"new":)";
  to += true_or_false(row.first_seen && *row.first_seen >= since);
  to += R"(,"resolved":)";
  to += true_or_false(is_resolved(row, marks, all.now, all.resolved_after));
  to += "}";
}

void append_changed(std::string& to, const digest::row& row, const live_digest::view& all) {
  digest::object_writer json{to};
  json.text("shapeHash", routing::shape_hash_text(row.shape_hash));
  json.text("ns", row.name_space());
  json.text("command", row.command);
  json.text("routing", label(row.what.routing));
  json.number("count", row.count);
  json.number("errors", row.errors);
  json.raw("wastedShardRequests", digest::waste_json(row));
  json.raw("durationMillis", digest::durations_json(row));
  json.raw("lastSeen", time_json(row.last_seen));
  to += "," + known_members(row, all);
  json.end();
}

}  // namespace

std::string shapes_json(const live_digest::view& all, digest::wall_time since,
                        std::size_t max_bytes) {
  const digest::table& of = all.shapes;
  std::string to = R"({"schemaVersion":1,"generatedAt":")" + text::time_text(all.now);
  to += R"(","window":)";
  digest::append_window(to, of.all());
  to += R"(,"sources":[],"totals":)";
  digest::append_json(to, of.all());
  to += R"(,"truth":null,"shapes":[)";
  const auto rows = in_shown_order(all);
  std::size_t told = 0;
  for (std::string row; told < rows.size(); ++told) {
    row.clear();
    append_row(row, *rows[told], all, since);
    if (to.size() + row.size() > max_bytes) break;
    to += told == 0 ? "" : ",";
    to += row;
  }
  to += "]";
  if (told != rows.size()) to += R"(,"shapesLeftOut":)" + std::to_string(rows.size() - told);
  return to + "}\n";
}

std::string shape_json(const live_digest::view& all, std::uint64_t hash,
                       digest::wall_time since) {
  std::string rows;
  for (const digest::row* each : all.shapes.ranked()) {
    if (each->shape_hash != hash) continue;
    if (!rows.empty()) rows += ',';
    append_row(rows, *each, all, since);
  }
  if (rows.empty()) return rows;
  return R"({"schemaVersion":1,"generatedAt":")" + text::time_text(all.now) +
         R"(","shapes":[)" + rows + "]}\n";
}

changed_shapes changed_shapes_json(const live_digest::view& all, digest::wall_time since,
                                   std::size_t most) {
  changed_shapes made{"[", 0};
  std::size_t told = 0;
  for (const digest::row* each : in_shown_order(all)) {
    if (!each->last_seen || *each->last_seen < since - slack) continue;
    if (told == most) {
      ++made.left_out;
      continue;
    }
    if (told++ != 0) made.json += ',';
    append_changed(made.json, *each, all);
  }
  made.json += ']';
  return made;
}

}  // namespace scattergate::telemetry
