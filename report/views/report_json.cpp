#include "report/views/report_json.hpp"

#include "digest/json.hpp"
#include "report/views/number_text.hpp"
#include "routing/shape/shape.hpp"
#include "routing/text/json_text.hpp"
#include "routing/text/time_text.hpp"

namespace scattergate::report {
namespace {

using routing::time_text;

using routing::append_json_string;

void append_time(std::string& to, const std::optional<digest::wall_time>& time) {
  to += time ? '"' + time_text(*time) + '"' : "null";
}

void append_source(std::string& to, const source_facts& of) {
  to += R"({"name":)";
  append_json_string(to, of.name);
  to += R"(,"kind":)";
  append_json_string(to, label(of.kind));
  to += R"(,"bytes":)" + std::to_string(of.bytes);
  to += R"(,"observations":)" + std::to_string(of.tally.observations) + R"(,"skipped":{)";
  bool is_first = true;
  for (std::size_t i = 0; i < skip_reason_count; ++i) {
    if (of.tally.skipped[i] == 0) continue;
    to += is_first ? "" : ",";
    is_first = false;
    append_json_string(to, label(static_cast<skip_reason>(i)));
    to += ':' + std::to_string(of.tally.skipped[i]);
  }
  to += '}';
  if (!of.error.empty()) {
    to += R"(,"error":)";
    append_json_string(to, of.error);
  }
  to += '}';
}

void append_totals(std::string& to, const digest::totals& all) {
  to += R"({"commands":)" + std::to_string(all.commands) + R"(,"byRouting":{)";
  for (std::size_t i = 0; i < all.by_routing.size(); ++i) {
    if (i != 0) to += ',';
    append_json_string(to, label(static_cast<routing::routing_class>(i)));
    to += ':' + std::to_string(all.by_routing[i]);
  }
  to += R"(},"shardRequests":)" + std::to_string(all.shards.asked);
  to += R"(,"wastedShardRequests":)" + std::to_string(all.shards.wasted) + "}";
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

}  // namespace

std::string report_json(const report_model& of) {
  const digest::totals& all = of.table.all();
  std::string to = R"({"schemaVersion":1,"generatedAt":)";
  append_time(to, of.generated_at);
  to += R"(,"window":{"from":)";
  append_time(to, all.from);
  to += R"(,"to":)";
  append_time(to, all.to);
  to += R"(},"sources":[)";
  for (std::size_t i = 0; i < of.sources.size(); ++i) {
    if (i != 0) to += ',';
    append_source(to, of.sources[i]);
  }
  to += R"(],"totals":)";
  append_totals(to, all);
  to += R"(,"truth":)";
  append_truth(to, of.truth);
  to += R"(,"shapes":[)";
  bool is_first = true;
  for (const digest::row* one : of.table.ranked()) {
    to += is_first ? "" : ",";
    is_first = false;
    digest::append_json(to, *one);
  }
  return to + "]}\n";
}

}  // namespace scattergate::report
