// The part of stored_row that writes.

#include <algorithm>

#include "digest/object_writer.hpp"
#include "digest/stored_fields.hpp"
#include "digest/stored_row.hpp"
#include "routing/shape/shape.hpp"

namespace scattergate::digest {
namespace {

using std::chrono::nanoseconds;

// What is empty or zero is left out.

void append_text(object_writer& to, std::string& json, std::string_view name,
                 std::string_view text) {
  if (text.empty()) return;
  to.head(name);
  append_stored_text(json, text);
}

void append_texts(object_writer& to, std::string& json, std::string_view name,
                  const std::vector<std::string>& texts) {
  if (texts.empty()) return;
  to.head(name);
  json += '[';
  for (const std::string& one : texts) {
    if (&one != &texts.front()) json += ',';
    append_stored_text(json, one);
  }
  json += ']';
}

/// What nobody reads back is told as the most that is.
std::uint64_t told(std::uint64_t count) {
  return std::min(count, stored_fields::most);
}

void append_number(object_writer& to, std::string_view name, std::uint64_t count) {
  if (count != 0) to.number(name, told(count));
}

void append_time(object_writer& to, std::string_view name,
                 const std::optional<wall_time>& time) {
  if (!time) return;
  to.raw(name, std::to_string(nanoseconds{time->time_since_epoch()}.count()));
}

template <typename ByRouting>
void append_by_routing(object_writer& to, std::string& json, const ByRouting& counts) {
  to.head("byRouting");
  object_writer classes{json};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    append_number(classes, label(static_cast<routing::routing_class>(i)), counts[i]);
  }
  classes.end();
}

void append_shards(object_writer& to, std::string& json, const shard_requests& of) {
  if (of.commands == 0) return;
  to.head("shardRequests");
  object_writer shards{json};
  shards.number("commands", told(of.commands));
  shards.number("asked", told(of.asked));
  append_number(shards, "wasted", of.wasted);
  append_number(shards, "most", of.most);
  shards.end();
}

/// Pairs of a class's number and its count.
void append_times(object_writer& to, std::string& json, const row& of) {
  const auto nanos = [](nanoseconds duration) {
    return static_cast<std::uint64_t>(std::max(duration, nanoseconds{0}).count());
  };
  to.number("totalNanos", nanos(of.total));
  to.number("longestNanos", nanos(of.longest));
  if (of.times.count() == 0) return;
  const auto& classes = of.times.classes();
  to.head("times");
  json += '[';
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (classes[i] == 0) continue;
    if (json.back() != '[') json += ',';
    json += '[' + std::to_string(i) + ',' + std::to_string(told(classes[i])) + ']';
  }
  json += ']';
}

/// Pairs of a number of shards and a count.
void append_fanouts(object_writer& to, std::string& json, const fanout_counts& of) {
  if (of.all().empty()) return;
  to.head("fanouts");
  json += '[';
  for (const fanout_counts::counted& one : of.all()) {
    if (json.back() != '[') json += ',';
    json += '[' + std::to_string(one.shards) + ',' + std::to_string(told(one.commands)) + ']';
  }
  json += ']';
}

void append_amounts(object_writer& to, std::string& json, std::string_view name,
                    const amounts& of) {
  if (of.commands == 0) return;
  to.head(name);
  object_writer each{json};
  each.number("commands", told(of.commands));
  append_number(each, "total", of.total);
  append_number(each, "most", of.most);
  each.end();
}

/// The texts, and as one without a text what isn't told apart.
void append_text_counts(object_writer& to, std::string& json, std::string_view name,
                        const text_counts& of) {
  if (of.all().empty() && of.others() == 0) return;
  to.head(name);
  json += '[';
  for (const text_counts::counted& one : of.all()) {
    if (json.back() != '[') json += ',';
    object_writer each{json};
    append_text(each, json, "text", one.text);
    each.number("count", told(one.commands));
    each.end();
  }
  if (of.others() != 0) {
    json += (json.back() == '[' ? R"({"other":)" : R"(,{"other":)") +
            std::to_string(told(of.others())) + "}";
  }
  json += ']';
}

void append_execution(object_writer& to, std::string& json, const execution& of) {
  append_amounts(to, json, "docsExamined", of.docs_examined);
  append_amounts(to, json, "replyBytes", of.reply_bytes);
  append_text_counts(to, json, "plans", of.plans);
  append_text_counts(to, json, "errorNames", of.errors);
}

void append_callers(object_writer& to, std::string& json, const callers& who) {
  append_number(to, "otherCallers", who.others());
  const auto all = who.all();
  if (all.empty()) return;
  to.head("callers");
  json += '[';
  for (const caller& one : all) {
    if (&one != &all.front()) json += ',';
    object_writer each{json};
    append_text(each, json, "appName", one.app_name);
    append_text(each, json, "driver", one.driver);
    append_text(each, json, "user", one.user);
    append_text(each, json, "remote", one.remote);
    append_text(each, json, "comment", one.comment);
    each.number("count", told(one.count));
    each.end();
  }
  json += ']';
}

void append_description(object_writer& to, std::string& json, const description& of) {
  to.text("routing", label(of.routing));
  append_text(to, json, "bounds", label(of.bounds));
  append_text(to, json, "reason", label(of.why));
  append_text(to, json, "shape", of.shape_json);
  append_text(to, json, "shardKey", of.shard_key_json);
  append_texts(to, json, "missing", of.missing);
  append_texts(to, json, "lints", of.lints);
  append_text(to, json, "suggestion", of.suggestion);
}

std::string line_of(const row& of) {
  std::string line;
  object_writer to{line};
  append_text(to, line, "database", of.database);
  append_text(to, line, "collection", of.collection);
  append_text(to, line, "command", of.command);
  to.text("shapeHash", routing::shape_hash_text(of.shape_hash));
  append_text(to, line, "queryShapeHash", of.query_shape_hash);
  append_description(to, line, of.what);
  to.number("count", told(of.count));
  append_number(to, "countErrorBound", of.error_bound);
  append_number(to, "errors", of.errors);
  append_by_routing(to, line, of.by_routing);
  append_shards(to, line, of.shards);
  append_fanouts(to, line, of.fanouts);
  append_times(to, line, of);
  append_execution(to, line, of.run);
  append_time(to, "firstSeenNanos", of.first_seen);
  append_time(to, "lastSeenNanos", of.last_seen);
  append_callers(to, line, of.who);
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

void append_stored(std::string& to, const row& of) {
  std::string line = line_of(of);
  if (line.size() > max_stored_row_bytes) {
    row less = without_callers(of);
    line = line_of(less);
    if (line.size() > max_stored_row_bytes) {
      less.what = {of.what.routing, of.what.bounds, of.what.why, {}, {}, {}, {}, {}};
      line = line_of(less);
    }
  }
  to += line;
}

void append_stored(std::string& to, const stored_sums& of) {
  std::string line;
  object_writer whole{line};
  whole.head("totals");
  object_writer all{line};
  all.number("commands", told(of.all.commands));
  append_number(all, "errors", of.all.errors);
  append_by_routing(all, line, of.all.by_routing);
  append_shards(all, line, of.all.shards);
  append_time(all, "fromNanos", of.all.from);
  append_time(all, "toNanos", of.all.to);
  all.end();
  append_number(whole, "evictedRows", of.evicted_rows);
  append_number(whole, "countErrorBound", of.error_bound);
  whole.end();
  to += line;
}

}  // namespace scattergate::digest
