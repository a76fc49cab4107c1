#include "digest/json.hpp"

#include <array>
#include <cstdio>
#include <string_view>

#include "digest/json_parts.hpp"
#include "digest/object_writer.hpp"
#include "digest/words.hpp"
#include "routing/shape/shape.hpp"
#include "text/json_text.hpp"

namespace scattergate::digest {
namespace {

void append_fanout(object_writer& to, const row& of) {
  if (of.shards.commands == 0) return to.raw("fanout", "null");
  std::array<char, 128> text{};
  std::snprintf(text.data(), text.size(), R"({"max":%u,"mean":%.3f,"commands":%ju)",
                of.shards.most,
                static_cast<double>(of.shards.asked) / static_cast<double>(of.shards.commands),
                static_cast<std::uintmax_t>(of.shards.commands));
  std::string fanout{text.data()};
  for (const fanout_counts::counted& one : of.fanouts.all()) {
    fanout += &one == &of.fanouts.all().front() ? R"(,"distribution":[)" : ",";
    fanout += R"({"shards":)" + std::to_string(one.shards) + R"(,"commands":)" +
              std::to_string(one.commands) + "}";
  }
  fanout += of.fanouts.all().empty() ? "}" : "]}";
  to.raw("fanout", fanout);
}

void append_amounts(object_writer& to, std::string_view name, const amounts& of) {
  if (of.commands == 0) return;
  to.raw(name, R"({"commands":)" + std::to_string(of.commands) + R"(,"total":)" +
                   std::to_string(of.total) + R"(,"max":)" + std::to_string(of.most) + "}");
}

/// What the source says of how the commands were run; what it doesn't is left out.
void append_execution(object_writer& to, std::string& json, const execution& of) {
  append_texts(json, "errorNames", "name", of.errors);
  append_amounts(to, "docsExamined", of.docs_examined);
  append_amounts(to, "reslen", of.reply_bytes);
  append_texts(json, "planSummary", "plan", of.plans);
}

}  // namespace

void append_json(std::string& to, const row& of, std::string_view baseline, sent_by sender) {
  object_writer json{to};
  json.text("ns", of.name_space());
  json.text("command", of.command);
  json.raw_or_null("shape", of.what.shape_json);
  json.text("shapeHash", routing::shape_hash_text(of.shape_hash));
  json.text_or_null("queryShapeHash", of.query_shape_hash);
  json.text("routing", label(of.what.routing));
  json.text_or_null("bounds", label(of.what.bounds));
  json.text_or_null("reason", label(of.what.why));
  json.texts("missing", of.what.missing);
  json.raw_or_null("shardKey", of.what.shard_key_json);
  json.text_or_null("suggestion", of.what.suggestion);
  json.number("count", of.count);
  if (of.error_bound != 0) json.number("countErrorBound", of.error_bound);
  json.number("errors", of.errors);
  append_fanout(json, of);
  json.raw("wastedShardRequests", waste_json(of));
  json.raw("durationMillis", durations_json(of));
  json.raw("firstSeen", time_json(of.first_seen));
  json.raw("lastSeen", time_json(of.last_seen));
  append_execution(json, to, of.run);
  append_callers(json, to, of.who.ranked(), of.who.others());
  json.text_or_null("baseline", baseline);
  json.text_or_null("explain", explain_text(of));
  json.text_or_null("acceptRule", sender == sent_by::client ? accept_rule(of) : std::string{});
  json.end();
}

void append_window(std::string& to, const totals& of) {
  to += R"({"from":)" + time_json(of.from) + R"(,"to":)" + time_json(of.to) + "}";
}

void append_classes(std::string& to, const totals& of) {
  to += '{';
  for (std::size_t i = 0; i < of.by_routing.size(); ++i) {
    if (i != 0) to += ',';
    text::append_json_string(to, label(static_cast<routing::routing_class>(i)));
    to += ':' + std::to_string(of.by_routing[i]);
  }
  to += '}';
}

namespace {

void append_commands(std::string& to, const totals& of, std::uint64_t shard_requests) {
  to += R"({"commands":)" + std::to_string(of.commands) + R"(,"byRouting":)";
  append_classes(to, of);
  to += R"(,"shardRequests":)" + std::to_string(shard_requests) + R"(,"wastedShardRequests":)";
}

}  // namespace

void append_json(std::string& to, const totals& of) {
  append_commands(to, of, of.shards.asked);
  to += std::to_string(of.shards.wasted) + "}";
}

void append_json(std::string& to, const totals& of, std::uint64_t shard_requests) {
  append_commands(to, of, shard_requests);
  to += "null}";
}

}  // namespace scattergate::digest
