#include "digest/json.hpp"

#include <string_view>

#include "digest/json_parts.hpp"
#include "digest/words.hpp"
#include "routing/shape/shape.hpp"

namespace scattergate::digest {
namespace {

using text::json_writer;

void append_fanout(json_writer& to, const row& of) {
  if (of.shards.commands == 0) return to.null("fanout");
  to.object("fanout");
  to.number("max", of.shards.most);
  to.decimal("mean",
             static_cast<double>(of.shards.asked) / static_cast<double>(of.shards.commands), 3);
  to.number("commands", of.shards.commands);
  if (!of.fanouts.all().empty()) {
    to.array("distribution");
    for (const fanout_counts::counted& one : of.fanouts.all()) {
      to.object();
      to.number("shards", one.shards);
      to.number("commands", one.commands);
      to.end();
    }
    to.end();
  }
  to.end();
}

void append_amounts(json_writer& to, std::string_view name, const amounts& of) {
  if (of.commands == 0) return;
  to.object(name);
  to.number("commands", of.commands);
  to.number("total", of.total);
  to.number("max", of.most);
  to.end();
}

/// Appends the execution statistics that the source has.
void append_execution(json_writer& to, const execution& of) {
  append_texts(to, "errorNames", "name", of.errors);
  append_amounts(to, "docsExamined", of.docs_examined);
  append_amounts(to, "reslen", of.reply_bytes);
  append_texts(to, "planSummary", "plan", of.plans);
}

/// Appends the decisions of a proxy's rules, if the source has them.
void append_decisions(json_writer& to, const execution& of) {
  if (of.actions != action_counts{}) {
    to.object("actions");
    for (std::size_t i = 0; i < of.actions.size(); ++i) {
      if (of.actions[i] == 0) continue;
      to.number(label(static_cast<finding_action>(i)), of.actions[i]);
    }
    to.end();
  }
  append_texts(to, "acceptedBy", "rule", of.accepted_by);
}

}  // namespace

void append_members(json_writer& to, const row& of, std::string_view baseline, sent_by sender) {
  to.text("ns", of.name_space());
  to.text("command", of.command);
  to.raw_or_null("shape", of.what.shape_json);
  to.text("shapeHash", routing::shape_hash_text(of.shape_hash));
  to.text_or_null("queryShapeHash", of.query_shape_hash);
  to.text("routing", label(of.what.routing));
  to.text_or_null("bounds", label(of.what.bounds));
  to.text_or_null("reason", label(of.what.why));
  to.texts("missing", of.what.missing);
  to.raw_or_null("shardKey", of.what.shard_key_json);
  to.text_or_null("suggestion", of.what.suggestion);
  if (of.what.statement) to.number("statement", *of.what.statement);
  to.number("count", of.count);
  if (of.error_bound != 0) to.number("countErrorBound", of.error_bound);
  to.number("errors", of.errors);
  append_fanout(to, of);
  to.number_or_null("wastedShardRequests", waste_of(of));
  append_durations(to, "durationMillis", of);
  to.time_or_null("firstSeen", of.first_seen);
  to.time_or_null("lastSeen", of.last_seen);
  append_execution(to, of.run);
  append_callers(to, of.who.ranked(), of.who.others());
  to.text_or_null("baseline", baseline);
  to.text_or_null("explain", explain_text(of));
  to.text_or_null("acceptRule", sender == sent_by::client ? accept_rule(of) : std::string{});
}

void append_json(json_writer& to, const row& of, std::string_view baseline, sent_by sender) {
  to.object();
  append_members(to, of, baseline, sender);
  append_decisions(to, of.run);
  to.end();
}

void append_window(json_writer& to, const totals& of) {
  to.object("window");
  to.time_or_null("from", of.from);
  to.time_or_null("to", of.to);
  to.end();
}

void append_classes(json_writer& to, const totals& of) {
  to.object("byRouting");
  for (std::size_t i = 0; i < of.by_routing.size(); ++i) {
    to.number(label(static_cast<routing::routing_class>(i)), of.by_routing[i]);
  }
  to.end();
}

void append_totals(json_writer& to, const totals& of,
                   std::optional<std::uint64_t> shard_requests) {
  to.object("totals");
  to.number("commands", of.commands);
  append_classes(to, of);
  to.number("shardRequests", shard_requests.value_or(of.shards.asked));
  to.number_or_null("wastedShardRequests",
                    shard_requests ? std::nullopt : std::optional{of.shards.wasted});
  to.end();
}

}  // namespace scattergate::digest
