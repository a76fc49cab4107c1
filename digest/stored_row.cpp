// The reading part of stored_row.

#include "digest/stored_row.hpp"

#include <charconv>
#include <limits>

#include <boost/json.hpp>
#include <boost/system/error_code.hpp>

#include "digest/labels.hpp"
#include "digest/stored_fields.hpp"

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
             each.text("comment"), each.number("count")});
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

}  // namespace scattergate::digest
