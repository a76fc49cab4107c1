#include "report/views/report_json.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>

#include "digest/json.hpp"
#include "digest/json_parts.hpp"
#include "report/views/execution_text.hpp"
#include "report/views/parts_json.hpp"
#include "routing/shape/shape.hpp"
#include "text/json_text.hpp"

namespace scattergate::report {
namespace {

using text::append_json_string;

std::string share_text(double share) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6f", share);
  return text.data();
}

void append_kept(std::string& to, const source_facts& of) {
  if (of.verdicts_kept.empty()) return;
  to += R"(,"verdictsKept":[)";
  for (const std::uint64_t hash : of.verdicts_kept) {
    if (hash != of.verdicts_kept.front()) to += ',';
    append_json_string(to, routing::shape_hash_text(hash));
  }
  to += ']';
}

void append_source(std::string& to, const source_facts& of) {
  to += R"({"name":)";
  append_json_string(to, of.name);
  to += R"(,"kind":)";
  append_json_string(to, label(of.kind));
  to += R"(,"bytes":)" + std::to_string(of.bytes);
  to += R"(,"observations":)" + std::to_string(of.tally.observations);
  to += of.counts_requests() ? R"(,"counts":"shard_requests")" : R"(,"counts":"commands")";
  if (of.tally.shard_requests != 0) {
    to += R"(,"shardRequests":)" + std::to_string(of.tally.shard_requests);
  }
  to += R"(,"skipped":{)";
  bool is_first = true;
  for (std::size_t i = 0; i < skip_reason_count; ++i) {
    if (of.tally.skipped[i] == 0) continue;
    to += is_first ? "" : ",";
    is_first = false;
    append_json_string(to, label(static_cast<skip_reason>(i)));
    to += ':' + std::to_string(of.tally.skipped[i]);
  }
  to += '}';
  if (of.missing_share) to += R"(,"incomplete":)" + share_text(*of.missing_share);
  if (!of.error.empty()) {
    to += R"(,"error":)";
    append_json_string(to, of.error);
  }
  if (!of.note.empty()) {
    to += R"(,"note":)";
    append_json_string(to, of.note);
  }
  append_kept(to, of);
  to += '}';
}

void append_truth(std::string& to, const truth& of) {
  if (of.compared == 0) {
    to += "null";
    return;
  }
  to += R"({"compared":)" + std::to_string(of.compared);
  to += R"(,"agreed":)" + std::to_string(of.agreed) + R"(,"disagreements":[)";
  for (std::size_t i = 0; i < of.disagreements.size(); ++i) {
    const disagreement& one = of.disagreements[i];
    to += i == 0 ? R"({"ns":)" : R"(,{"ns":)";
    append_json_string(to, one.name_space);
    to += R"(,"command":)";
    append_json_string(to, one.command);
    to += R"(,"shapeHash":")" + routing::shape_hash_text(one.shape_hash) + R"(","routing":)";
    append_json_string(to, one.routing);
    to += R"(,"predicted":)" + std::to_string(one.predicted);
    to += R"(,"actual":)" + std::to_string(one.actual);
    to += R"(,"count":)" + std::to_string(one.count) + "}";
  }
  to += "]}";
}

/// What shards' logs have, as an object of its own: no sum with commands means anything. The
/// rows are there unless `shapes` has them.
void append_requests(std::string& to, const report_model& of) {
  if (!of.has_requests()) return;
  const digest::table& requests = *of.shard_requests;
  to += R"(,"shardLogs":{"requests":)" + std::to_string(requests.all().commands);
  to += R"(,"byRouting":)";
  digest::append_classes(to, requests.all());
  if (of.shows_requests()) {
    to += '}';
    return;
  }
  to += R"(,"shapes":[)";
  auto rows = requests.ranked(of.by);
  rows.resize(std::min(rows.size(), of.top.value_or(rows.size())));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i != 0) to += ',';
    digest::append_json(to, *rows[i], label(baseline_state::none), digest::sent_by::router);
  }
  to += "]}";
}

void append_absent(std::string& to, const baseline_comparison& of, bool is_first) {
  for (const config::accepted_shape* one : of.absent()) {
    to += is_first ? "" : ",";
    is_first = false;
    digest::append_json(to, row_of(*one), label(baseline_state::absent));
  }
}

}  // namespace

void append_sources(std::string& to, const std::vector<source_facts>& of) {
  to += '[';
  for (const source_facts& one : of) {
    if (&one != &of.front()) to += ',';
    append_source(to, one);
  }
  to += ']';
}

std::string report_json(const report_model& of) {
  std::string whole;
  report_json(of, [&](std::string_view part) { whole += part; });
  return whole;
}

void report_json(const report_model& of, const text_sink& sink) {
  constexpr std::size_t part_bytes = 256UL << 10;
  const digest::totals& all = of.table.all();
  std::string to = R"({"schemaVersion":1,"generatedAt":)";
  to += digest::time_json(of.generated_at);
  to += R"(,"window":)";
  digest::append_window(to, of.shown().all());
  to += R"(,"sources":)";
  append_sources(to, of.sources);
  to += of.shows_requests() ? R"(,"unit":"shardRequests","totals":)"
                            : R"(,"unit":"commands","totals":)";
  if (of.shows_requests()) {
    digest::append_json(to, all, of.shown().all().commands);
  } else {
    digest::append_json(to, all);
  }
  to += R"(,"errors":)" + std::to_string(of.shown().all().errors);
  digest::append_texts(to, "errorNames", "name", errors_of(of.shown()));
  const std::optional<double> missing = of.missing_share();
  to += R"(,"incomplete":)" + (missing ? share_text(*missing) : std::string{"null"});
  append_parts(to, of);
  to += R"(,"truth":)";
  append_truth(to, of.truth);
  auto rows = of.every_row_ranked();
  const std::size_t all_rows = rows.size();
  rows.resize(std::min(all_rows, of.top.value_or(all_rows)));
  to += R"(,"furtherShapes":)" + std::to_string(of.further_shapes(all_rows, rows.size()));
  to += R"(,"shapes":[)";
  bool is_first = true;
  for (const digest::row* one : rows) {
    to += is_first ? "" : ",";
    is_first = false;
    digest::append_json(to, *one, label(of.state_of(*one)), of.sender());
    if (to.size() < part_bytes) continue;
    sink(to);
    to.clear();
  }
  if (of.against != nullptr) append_absent(to, *of.against, is_first);
  to += ']';
  append_requests(to, of);
  sink(to + "}\n");
}

}  // namespace scattergate::report
