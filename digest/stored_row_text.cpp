// The writing part of stored_row.

#include <algorithm>

#include "digest/stored_fields.hpp"
#include "digest/stored_row.hpp"
#include "routing/shape/shape.hpp"

namespace scattergate::digest {
namespace {

using std::chrono::nanoseconds;
using text::json_writer;

// Empty and zero members are omitted.

void append_text(json_writer& to, std::string_view name, std::string_view text) {
  if (text.empty()) return;
  to.name(name);
  append_stored_text(to, text);
}

void append_texts(json_writer& to, std::string_view name,
                  const std::vector<std::string>& texts) {
  if (texts.empty()) return;
  to.array(name);
  for (const std::string& one : texts) append_stored_text(to, one);
  to.end();
}

/// Clamps a count to the maximum that readers accept.
std::uint64_t clamped(std::uint64_t count) {
  return std::min(count, stored_fields::most);
}

void append_number(json_writer& to, std::string_view name, std::uint64_t count) {
  if (count != 0) to.number(name, clamped(count));
}

void append_time(json_writer& to, std::string_view name, const std::optional<wall_time>& time) {
  if (!time) return;
  to.number(name, nanoseconds{time->time_since_epoch()}.count());
}

template <typename ByRouting>
void append_by_routing(json_writer& to, const ByRouting& counts) {
  to.object("byRouting");
  for (std::size_t i = 0; i < counts.size(); ++i) {
    append_number(to, label(static_cast<routing::routing_class>(i)), counts[i]);
  }
  to.end();
}

void append_shards(json_writer& to, const shard_requests& of) {
  if (of.commands == 0) return;
  to.object("shardRequests");
  to.number("commands", clamped(of.commands));
  to.number("asked", clamped(of.asked));
  append_number(to, "wasted", of.wasted);
  append_number(to, "most", of.most);
  to.end();
}

void append_pair(json_writer& to, std::uint64_t of, std::uint64_t count) {
  to.array();
  to.number(of);
  to.number(clamped(count));
  to.end();
}

/// Appends the durations; the histogram as pairs of a bucket's number and its count.
void append_times(json_writer& to, const row& of) {
  const auto nanos = [](nanoseconds duration) {
    return static_cast<std::uint64_t>(std::max(duration, nanoseconds{0}).count());
  };
  to.number("totalNanos", nanos(of.total));
  to.number("longestNanos", nanos(of.longest));
  if (of.times.count() == 0) return;
  const auto& buckets = of.times.bucket_counts();
  to.array("times");
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    if (buckets[i] != 0) append_pair(to, i, buckets[i]);
  }
  to.end();
}

/// Appends pairs of a number of shards and a count.
void append_fanouts(json_writer& to, const fanout_counts& of) {
  if (of.all().empty()) return;
  to.array("fanouts");
  for (const fanout_counts::counted& one : of.all()) {
    append_pair(to, one.shards, one.commands);
  }
  to.end();
}

void store_amounts(json_writer& to, std::string_view name, const amounts& of) {
  if (of.commands == 0) return;
  to.object(name);
  to.number("commands", clamped(of.commands));
  append_number(to, "total", of.total);
  append_number(to, "most", of.most);
  to.end();
}

/// Appends texts with their counts. Commands of other texts have an entry without a text.
void append_text_counts(json_writer& to, std::string_view name, const text_counts& of) {
  if (of.all().empty() && of.others() == 0) return;
  to.array(name);
  for (const text_counts::counted& one : of.all()) {
    to.object();
    append_text(to, "text", one.text);
    to.number("count", clamped(one.commands));
    to.end();
  }
  if (of.others() != 0) {
    to.object();
    to.number("other", clamped(of.others()));
    to.end();
  }
  to.end();
}

void append_actions(json_writer& to, const action_counts& of) {
  if (of == action_counts{}) return;
  to.object("actions");
  for (std::size_t i = 0; i < of.size(); ++i) {
    append_number(to, label(static_cast<finding_action>(i)), of[i]);
  }
  to.end();
}

void store_execution(json_writer& to, const execution& of) {
  store_amounts(to, "docsExamined", of.docs_examined);
  store_amounts(to, "replyBytes", of.reply_bytes);
  append_text_counts(to, "plans", of.plans);
  append_text_counts(to, "errorNames", of.errors);
  append_text_counts(to, "acceptedBy", of.accepted_by);
}

void append_callers(json_writer& to, const callers& who) {
  append_number(to, "otherCallers", who.others());
  const auto all = who.all();
  if (all.empty()) return;
  to.array("callers");
  for (const caller& one : all) {
    to.object();
    append_text(to, "appName", one.app_name);
    append_text(to, "driver", one.driver);
    append_text(to, "user", one.user);
    append_text(to, "remote", one.remote);
    append_text(to, "comment", one.comment);
    to.number("count", clamped(one.count));
    to.end();
  }
  to.end();
}

void append_description(json_writer& to, const description& of) {
  to.text("routing", label(of.routing));
  append_text(to, "bounds", label(of.bounds));
  append_text(to, "reason", label(of.why));
  append_text(to, "shape", of.shape_json);
  append_text(to, "shardKey", of.shard_key_json);
  append_texts(to, "missing", of.missing);
  append_texts(to, "lints", of.lints);
  append_text(to, "suggestion", of.suggestion);
}

std::string line_of(const row& of, const action_counts& actions) {
  std::string line;
  json_writer to{line};
  to.object();
  append_text(to, "database", of.database);
  append_text(to, "collection", of.collection);
  append_text(to, "command", of.command);
  to.text("shapeHash", routing::shape_hash_text(of.shape_hash));
  append_text(to, "queryShapeHash", of.query_shape_hash);
  append_description(to, of.what);
  to.number("count", clamped(of.count));
  append_number(to, "countErrorBound", of.error_bound);
  append_number(to, "errors", of.errors);
  append_by_routing(to, of.by_routing);
  append_shards(to, of.shards);
  append_fanouts(to, of.fanouts);
  append_times(to, of);
  store_execution(to, of.run);
  append_actions(to, actions);
  append_time(to, "firstSeenNanos", of.first_seen);
  append_time(to, "lastSeenNanos", of.last_seen);
  append_callers(to, of.who);
  to.end();
  return line;
}

row without_callers(const row& of) {
  row less = of;
  std::uint64_t others = of.who.others();
  for (const caller& one : of.who.all()) others += one.count;
  less.who = {};
  less.who.add_others(others);
  return less;
}

}  // namespace

void append_stored(std::string& to, const row& of, const action_counts* actions) {
  const action_counts& decided = actions != nullptr ? *actions : of.run.actions;
  std::string line = line_of(of, decided);
  if (line.size() > max_stored_row_bytes) {
    row less = without_callers(of);
    line = line_of(less, decided);
    if (line.size() > max_stored_row_bytes) {
      less.what = {of.what.routing, of.what.bounds, of.what.why, {}, {}, {}, {}, {}};
      line = line_of(less, decided);
    }
  }
  to += line;
}

void append_stored(std::string& to, const stored_sums& of) {
  json_writer whole{to};
  whole.object();
  whole.object("totals");
  whole.number("commands", clamped(of.all.commands));
  append_number(whole, "errors", of.all.errors);
  append_by_routing(whole, of.all.by_routing);
  append_shards(whole, of.all.shards);
  append_time(whole, "fromNanos", of.all.from);
  append_time(whole, "toNanos", of.all.to);
  whole.end();
  append_number(whole, "evictedRows", of.evicted_rows);
  append_number(whole, "countErrorBound", of.error_bound);
  whole.end();
}

}  // namespace scattergate::digest
