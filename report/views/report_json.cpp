#include "report/views/report_json.hpp"

#include <algorithm>
#include <optional>

#include "digest/json.hpp"
#include "report/views/execution_text.hpp"
#include "report/views/report_model.hpp"
#include "routing/shape/shape.hpp"
#include "text/json_writer.hpp"

namespace scattergate::report {
namespace {

/// Appends the sums by hour, collection and sender as members of the report's object:
/// "perHour":[...],"byCollection":[...],"byApp":[...],... Appends nothing if the model has no
/// such sums (report_model::shown_parts() is null).
void append_parts(text::json_writer& to, const report_model& of);

using digest::part_sums;
using text::json_writer;

class parts_json {
 public:
  parts_json(json_writer& to, bool is_of_requests) : to_(to), is_of_requests_(is_of_requests) {}

  void hours(const digest::parts_by_hour& of) {
    to_.array("perHour");
    for (const auto& [when, sums] : of.all()) {
      part(sums, [&, when = when] { to_.time("hour", digest::wall_time{when}); });
    }
    if (of.others().commands != 0) part(of.others(), [&] { to_.null("hour"); });
    to_.end();
  }

  void names(std::string_view list, std::string_view name_of, const digest::parts_by_name& of) {
    to_.array(list);
    for (const auto& [name, sums] : of.ranked()) {
      part(*sums, [&, &name = name] { to_.text_or_null(name_of, name); });
    }
    if (of.others().commands != 0) part(of.others(), [&] { to_.flag("other", true); });
    to_.end();
  }

 private:
  /// Shard requests don't count as commands.
  template <typename Name>
  void part(const part_sums& of, const Name& name) {
    to_.object();
    name();
    to_.number("commands", is_of_requests_ ? 0 : of.commands);
    to_.number("errors", of.errors);
    digest::append_classes(to_, of);
    to_.number("shardRequests", is_of_requests_ ? of.commands : of.shards.asked);
    is_of_requests_ ? to_.null("wastedShardRequests")
                    : to_.number("wastedShardRequests", of.shards.wasted);
    of.timed == 0 ? to_.null("totalMillis")
                  : digest::append_millis(to_, "totalMillis", of.time);
    to_.end();
  }

  json_writer& to_;
  bool is_of_requests_;
};

void append_parts(json_writer& to, const report_model& of) {
  const digest::breakdown* const parts = of.shown_parts();
  if (parts == nullptr) return;
  parts_json json{to, of.shows_requests()};
  json.hours(parts->by_hour);
  json.names("byCollection", "ns", parts->by_collection);
  json.names("byApp", "appName", parts->by_app);
  json.names("byUser", "user", parts->by_user);
  json.names("byHost", "remote", parts->by_host);
}

constexpr int share_digits = 6;

void append_kept(json_writer& to, const source_facts& of) {
  if (of.verdicts_kept.empty()) return;
  to.array("verdictsKept");
  for (const std::uint64_t hash : of.verdicts_kept) to.text(routing::shape_hash_text(hash));
  to.end();
}

void append_source(json_writer& to, const source_facts& of) {
  to.object();
  to.text("name", of.name);
  to.text("kind", label(of.kind));
  to.number("bytes", of.bytes);
  to.number("observations", of.tally.observations);
  to.text("counts", of.counts_requests() ? "shard_requests" : "commands");
  if (of.tally.shard_requests != 0) to.number("shardRequests", of.tally.shard_requests);
  to.object("skipped");
  for (std::size_t i = 0; i < skip_reason_count; ++i) {
    if (of.tally.skipped[i] == 0) continue;
    to.number(label(static_cast<skip_reason>(i)), of.tally.skipped[i]);
  }
  to.end();
  if (of.missing_share) to.decimal("incomplete", *of.missing_share, share_digits);
  if (of.problem) to.text("error", to_string(*of.problem));
  if (!of.note.empty()) to.text("note", of.note);
  append_kept(to, of);
  to.end();
}

void append_truth(json_writer& to, const truth& of) {
  if (of.compared == 0) return to.null("truth");
  to.object("truth");
  to.number("compared", of.compared);
  to.number("agreed", of.agreed);
  to.array("disagreements");
  for (const disagreement& one : of.disagreements) {
    to.object();
    to.text("ns", one.name_space);
    to.text("command", one.command);
    to.text("shapeHash", routing::shape_hash_text(one.shape_hash));
    to.text("routing", one.routing);
    to.number("predicted", one.predicted);
    to.number("actual", one.actual);
    to.number("count", one.count);
    to.end();
  }
  to.end();
  to.end();
}

/// Appends shard requests as a separate object, as adding them to commands is meaningless.
/// Their rows are included unless `shapes` has them.
void append_requests(json_writer& to, const report_model& of) {
  if (!of.has_requests()) return;
  const digest::table& requests = *of.shard_requests;
  to.object("shardLogs");
  to.number("requests", requests.all().commands);
  digest::append_classes(to, requests.all());
  if (!of.shows_requests()) {
    auto rows = requests.ranked(of.by);
    rows.resize(std::min(rows.size(), of.top.value_or(rows.size())));
    to.array("shapes");
    for (const digest::row* one : rows) {
      digest::append_json(to, *one, label(baseline_state::none), digest::sent_by::router);
    }
    to.end();
  }
  to.end();
}

void append_absent(json_writer& to, const baseline_comparison& of) {
  for (const config::accepted_shape* one : of.absent()) {
    digest::append_json(to, row_of(*one), label(baseline_state::absent));
  }
}

}  // namespace

void append_sources(json_writer& to, const std::vector<source_facts>& of) {
  to.array("sources");
  for (const source_facts& one : of) append_source(to, one);
  to.end();
}

void append_shown_totals(json_writer& to, const report_model& of) {
  to.text("unit", of.shows_requests() ? "shardRequests" : "commands");
  digest::append_totals(
      to, of.table.all(),
      of.shows_requests() ? std::optional{of.shown().all().commands} : std::nullopt);
}

std::string report_json(const report_model& of) {
  std::string whole;
  report_json(of, [&](std::string_view part) { whole += part; });
  return whole;
}

void report_json(const report_model& of, const text_sink& sink) {
  constexpr std::size_t part_bytes = 256UL << 10;
  std::string text;
  json_writer json{text};
  json.object();
  json.number("schemaVersion", 1);
  json.time_or_null("generatedAt", of.generated_at);
  digest::append_window(json, of.shown().all());
  append_sources(json, of.sources);
  append_shown_totals(json, of);
  json.number("errors", of.shown().all().errors);
  digest::append_texts(json, "errorNames", "name", errors_of(of.shown()));
  const std::optional<double> missing = of.missing_share();
  missing ? json.decimal("incomplete", *missing, share_digits) : json.null("incomplete");
  append_parts(json, of);
  append_truth(json, of.truth);
  auto rows = of.every_row_ranked();
  const std::size_t all_rows = rows.size();
  rows.resize(std::min(all_rows, of.top.value_or(all_rows)));
  json.number("furtherShapes", of.further_shapes(all_rows, rows.size()));
  json.array("shapes");
  for (const digest::row* one : rows) {
    digest::append_json(json, *one, label(of.state_of(*one)), of.sender());
    if (text.size() < part_bytes) continue;
    sink(text);
    text.clear();
  }
  if (of.against != nullptr) append_absent(json, *of.against);
  json.end();
  append_requests(json, of);
  json.end();
  sink(text + '\n');
}

}  // namespace scattergate::report
