#include "digest/stored_row.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include <boost/json.hpp>
#include <boost/system/error_code.hpp>

#include "digest/labels.hpp"
#include "digest/stored_fields.hpp"
#include "routing/shape/shape.hpp"

// The reading part of stored_row.

// The writing part of stored_row.

namespace scattergate::digest {
namespace {

namespace json = boost::json;
using std::chrono::nanoseconds;

std::uint64_t hash_in(const stored_fields& from) {
  const std::string digits = from.text("shapeHash");
  std::uint64_t hash = 0;
  const char* const end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, hash, 16);
  if (digits.size() != 16 || read.ptr != end) from.complain("shapeHash");
  return hash;
}

std::string query_shape_hash_in(const stored_fields& from) {
  constexpr std::size_t digits = 64;
  std::string text = from.text("queryShapeHash");
  if (text.empty()) return text;
  const bool is_hex = text.find_first_not_of("0123456789ABCDEF") == text.npos;
  if (text.size() != digits || !is_hex) from.complain("queryShapeHash");
  return text;
}

/// Complains about an unknown class, which a newer version may have written: no class here
/// could count its commands.
routing::routing_class routing_in(const stored_fields& from) {
  const auto known = enumerator_with_label<routing::routing_class>(from.text("routing"));
  if (!known) from.complain("routing");
  return known.value_or(routing::routing_class::unknown);
}

std::optional<std::uint32_t> statement_in(const stored_fields& from) {
  const auto found = from.signed_number("statement");
  if (!found) return std::nullopt;
  if (*found < 0 || *found > std::numeric_limits<std::uint32_t>::max()) {
    from.complain("statement");
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(*found);
}

description description_in(const stored_fields& from) {
  description what;
  what.routing = routing_in(from);
  what.bounds = enumerator_with_label<routing::bounds_kind>(from.text("bounds"))
                    .value_or(routing::bounds_kind::none);
  what.why = cause_with_label(from.text("reason")).value_or(routing::cause{});
  what.shape_json = from.json_text("shape");
  what.shard_key_json = from.json_text("shardKey");
  what.missing = from.texts("missing");
  what.lints = from.texts("lints");
  what.suggestion = from.text("suggestion");
  what.statement = statement_in(from);
  return what;
}

template <typename ByRouting>
void read_by_routing(const stored_fields& from, ByRouting& counts) {
  const auto* const object = from.object("byRouting");
  if (object == nullptr) return;
  const stored_fields classes{*object, from};
  for (const auto& [name, count] : *object) {
    const auto known = enumerator_with_label<routing::routing_class>(std::string_view{name});
    if (!known) return from.complain("byRouting");
    counts[static_cast<std::size_t>(*known)] = classes.number(name);
  }
}

shard_requests shards_in(const stored_fields& from) {
  const auto* const object = from.object("shardRequests");
  if (object == nullptr) return {};
  const stored_fields shards{*object, from};
  const auto most = shards.number("most", std::numeric_limits<std::uint32_t>::max());
  return {shards.number("commands"), shards.number("asked"), shards.number("wasted"),
          static_cast<std::uint32_t>(most)};
}

nanoseconds nanos_in(const stored_fields& from, std::string_view name) {
  constexpr auto most = static_cast<std::uint64_t>(nanoseconds::max().count());
  return nanoseconds{static_cast<std::int64_t>(from.number(name, most))};
}

std::optional<wall_time> time_in(const stored_fields& from, std::string_view name) {
  const auto since_1970 = from.signed_number(name);
  if (!since_1970) return std::nullopt;
  // 127 years around 1970, so that differences fit too.
  constexpr std::int64_t most = 4'000'000'000'000'000'000;
  if (*since_1970 < -most || *since_1970 > most) {
    from.complain(name);
    return std::nullopt;
  }
  return wall_time{std::chrono::duration_cast<wall_time::duration>(nanoseconds{*since_1970})};
}

/// The integer at index `at` of a pair; std::nullopt if it is invalid.
std::optional<std::uint64_t> member_of(const json::value& pair, std::size_t at,
                                       std::uint64_t at_most) {
  if (!pair.is_array() || pair.as_array().size() != 2) return std::nullopt;
  const json::value& member = pair.as_array()[at];
  if (!member.is_int64() || member.as_int64() < 0) return std::nullopt;
  const auto number = static_cast<std::uint64_t>(member.as_int64());
  return number <= at_most ? std::optional{number} : std::nullopt;
}

/// Calls `take` for each pair of a number, which may be up to `at_most`, and a count.
template <typename Take>
void read_pairs(const stored_fields& from, std::string_view name, std::uint64_t at_most,
                const Take& take) {
  const auto* const pairs = from.array(name);
  if (pairs == nullptr) return;
  for (const json::value& pair : *pairs) {
    const auto number = member_of(pair, 0, at_most);
    const auto count = member_of(pair, 1, stored_fields::most);
    if (!number || !count) return from.complain(name);
    take(*number, *count);
  }
}

time_histogram times_in(const stored_fields& from) {
  time_histogram times;
  read_pairs(from, "times", time_histogram::bucket_count - 1, [&](auto number, auto count) {
    times.add(time_histogram::lower_bound(static_cast<std::size_t>(number)), count);
  });
  return times;
}

fanout_counts fanouts_in(const stored_fields& from) {
  fanout_counts fanouts;
  read_pairs(
      from, "fanouts", std::numeric_limits<std::uint32_t>::max(),
      [&](auto shards, auto count) { fanouts.add(static_cast<std::uint32_t>(shards), count); });
  return fanouts;
}

amounts amounts_in(const stored_fields& from, std::string_view name) {
  const auto* const object = from.object(name);
  if (object == nullptr) return {};
  const stored_fields parts{*object, from};
  return {parts.number("commands"), parts.number("total"), parts.number("most")};
}

text_counts text_counts_in(const stored_fields& from, std::string_view name) {
  text_counts counts;
  const auto* const all = from.array(name);
  if (all == nullptr) return counts;
  for (const json::value& one : *all) {
    if (!one.is_object()) {
      from.complain(name);
      break;
    }
    const stored_fields each{one.as_object(), from};
    counts.add_others(each.number("other"));
    if (each.has("text")) counts.add(each.text("text"), each.number("count"));
  }
  return counts;
}

/// Reads the counts by action. Ignores actions that only newer versions know.
action_counts actions_in(const stored_fields& from) {
  action_counts counts{};
  const auto* const object = from.object("actions");
  if (object == nullptr) return counts;
  const stored_fields actions{*object, from};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    counts[i] = actions.number(label(static_cast<finding_action>(i)));
  }
  return counts;
}

execution execution_in(const stored_fields& from) {
  return {amounts_in(from, "docsExamined"),
          amounts_in(from, "replyBytes"),
          text_counts_in(from, "plans"),
          text_counts_in(from, "errorNames"),
          actions_in(from),
          text_counts_in(from, "acceptedBy")};
}

callers callers_in(const stored_fields& from) {
  callers who;
  who.add_others(from.number("otherCallers"));
  const auto* const all = from.array("callers");
  if (all == nullptr) return who;
  for (const json::value& one : *all) {
    if (!one.is_object()) {
      from.complain("callers");
      break;
    }
    const stored_fields each{one.as_object(), from};
    who.add({each.text("appName"), each.text("driver"), each.text("user"), each.text("remote"),
             each.text("comment"), each.number("count"), each.text("test")});
  }
  return who;
}

row row_in(const stored_fields& from) {
  row made;
  made.database = from.text("database");
  made.collection = from.text("collection");
  made.command = from.text("command");
  made.shape_hash = hash_in(from);
  made.query_shape_hash = query_shape_hash_in(from);
  made.what = description_in(from);
  made.count = from.number("count");
  made.error_bound = from.number("countErrorBound");
  made.errors = from.number("errors");
  read_by_routing(from, made.by_routing);
  made.shards = shards_in(from);
  made.total = nanos_in(from, "totalNanos");
  made.longest = nanos_in(from, "longestNanos");
  made.times = times_in(from);
  made.fanouts = fanouts_in(from);
  made.run = execution_in(from);
  made.first_seen = time_in(from, "firstSeenNanos");
  made.last_seen = time_in(from, "lastSeenNanos");
  made.who = callers_in(from);
  return made;
}

/// The result of `read` for the JSON object in a line, or the problem.
template <typename Read>
auto read_line(std::string_view line, const Read& read)
    -> text::result<decltype(read(std::declval<stored_fields>()))> {
  boost::system::error_code failed;
  const json::value parsed = json::parse(line, failed);
  if (failed) return text::failure(failed.message());
  if (!parsed.is_object()) return text::failure("not an object");
  std::optional<text::problem> complaint;
  auto made = read(stored_fields{parsed.as_object(), complaint});
  if (complaint) return *std::move(complaint);
  return made;
}

}  // namespace

text::result<row> stored_row(std::string_view line) {
  return read_line(line, row_in);
}

text::result<stored_sums> read_stored_sums(std::string_view line) {
  return read_line(line, [](const stored_fields& from) {
    stored_sums sums;
    sums.evicted_rows = from.number("evictedRows");
    sums.error_bound = from.number("countErrorBound");
    const auto* const object = from.object("totals");
    if (object == nullptr) return sums;
    const stored_fields all{*object, from};
    sums.all.commands = all.number("commands");
    sums.all.errors = all.number("errors");
    read_by_routing(all, sums.all.by_routing);
    sums.all.shards = shards_in(all);
    sums.all.from = time_in(all, "fromNanos");
    sums.all.to = time_in(all, "toNanos");
    return sums;
  });
}

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
    append_text(to, "test", one.test);
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
  if (of.statement) to.number("statement", *of.statement);
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
