#include "digest/stored.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <limits>

#include <boost/json.hpp>
#include <boost/system/error_code.hpp>

#include "digest/labels.hpp"
#include "digest/row_fields.hpp"
#include "digest/stored_fields.hpp"
#include "routing/shape/shape.hpp"
#include "text/json_writer.hpp"
#include "wire/crc32c.hpp"

namespace scattergate::digest {
namespace {

namespace json = boost::json;

using std::chrono::nanoseconds;
using text::json_writer;

constexpr std::string_view stored_type = "scattergate.digest";
constexpr std::string_view head_begins = R"({"type":"scattergate.digest",)";
constexpr std::string_view end_begins = R"({"end":)";
constexpr std::string_view any_head_begins = R"({"type":")";

/// Limit for the lines after the rows, in bytes.
constexpr std::size_t room_for_end = 4096;

std::uint32_t checksum(std::uint32_t before, std::string_view text) noexcept {
  return wire::crc32c(before, std::as_bytes(std::span{text}));
}

std::string hex(std::uint32_t number) {
  std::array<char, 12> text{};
  std::snprintf(text.data(), text.size(), "%08x", number);
  return text.data();
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

/// Calls `take` for each object of an array.
template <typename Take>
void read_objects(const stored_fields& from, std::string_view name, const Take& take) {
  const auto* const all = from.array(name);
  if (all == nullptr) return;
  for (const json::value& one : *all) {
    if (!one.is_object()) return from.complain(name);
    take(stored_fields{one.as_object(), from});
  }
}

/// Reads the fields of a row, or of the sums, from a line's object: one function for each type.
class field_reader {
 public:
  explicit field_reader(const stored_fields& from) noexcept : from_(from) {}

  void read(as::text, std::string_view name, std::string& to) const { to = from_.text(name); }
  void read(as::json, std::string_view name, std::string& to) const {
    to = from_.json_text(name);
  }
  void read(as::hash, std::string_view name, std::uint64_t& to) const {
    const std::string digits = from_.text(name);
    const char* const end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), end, to, 16);
    if (digits.size() != 16 || read.ptr != end) from_.complain(name);
  }
  void read(as::query_hash, std::string_view name, std::string& to) const {
    constexpr std::size_t digits = 64;
    to = from_.text(name);
    if (to.empty()) return;
    const bool is_hex = to.find_first_not_of("0123456789ABCDEF") == to.npos;
    if (to.size() != digits || !is_hex) from_.complain(name);
  }
  /// Complains about an unknown class, which a newer version may have written: no class here
  /// could count its commands.
  void read(as::label, std::string_view name, routing::routing_class& to) const {
    const auto known = enumerator_with_label<routing::routing_class>(from_.text(name));
    if (!known) from_.complain(name);
    to = known.value_or(routing::routing_class::unknown);
  }
  void read(as::label, std::string_view name, routing::bounds_kind& to) const {
    to = enumerator_with_label<routing::bounds_kind>(from_.text(name))
             .value_or(routing::bounds_kind::none);
  }
  void read(as::label, std::string_view name, routing::cause& to) const {
    to = cause_with_label(from_.text(name)).value_or(routing::cause{});
  }
  void read(as::texts, std::string_view name, std::vector<std::string>& to) const {
    to = from_.texts(name);
  }
  void read(as::index, std::string_view name, std::optional<std::uint32_t>& to) const {
    const auto found = from_.signed_number(name);
    if (!found) return;
    if (*found < 0 || *found > std::numeric_limits<std::uint32_t>::max()) {
      return from_.complain(name);
    }
    to = static_cast<std::uint32_t>(*found);
  }
  void read(as::count, std::string_view name, std::uint64_t& to) const {
    to = from_.number(name);
  }
  void read(as::nanos, std::string_view name, nanoseconds& to) const {
    constexpr auto most = static_cast<std::uint64_t>(nanoseconds::max().count());
    to = nanoseconds{static_cast<std::int64_t>(from_.number(name, most))};
  }
  void read(as::time, std::string_view name, std::optional<wall_time>& to) const {
    const auto since_1970 = from_.signed_number(name);
    if (!since_1970) return;
    // 127 years around 1970, so that differences fit too.
    constexpr std::int64_t most = 4'000'000'000'000'000'000;
    if (*since_1970 < -most || *since_1970 > most) return from_.complain(name);
    to = wall_time{std::chrono::duration_cast<wall_time::duration>(nanoseconds{*since_1970})};
  }
  template <typename ByRouting>
  void read(as::by_routing, std::string_view name, ByRouting& to) const {
    const auto* const object = from_.object(name);
    if (object == nullptr) return;
    const stored_fields classes{*object, from_};
    for (const auto& [routing, count] : *object) {
      const auto known =
          enumerator_with_label<routing::routing_class>(std::string_view{routing});
      if (!known) return from_.complain(name);
      to[static_cast<std::size_t>(*known)] = classes.number(routing);
    }
  }
  void read(as::shards, std::string_view name, shard_requests& to) const {
    const auto* const object = from_.object(name);
    if (object == nullptr) return;
    const stored_fields shards{*object, from_};
    const auto most = shards.number("most", std::numeric_limits<std::uint32_t>::max());
    to = {shards.number("commands"), shards.number("asked"), shards.number("wasted"),
          static_cast<std::uint32_t>(most)};
  }
  void read(as::histogram, std::string_view name, time_histogram& to) const {
    read_pairs(from_, name, time_histogram::bucket_count - 1, [&](auto number, auto count) {
      to.add(time_histogram::lower_bound(static_cast<std::size_t>(number)), count);
    });
  }
  void read(as::fanouts, std::string_view name, fanout_counts& to) const {
    read_pairs(
        from_, name, std::numeric_limits<std::uint32_t>::max(),
        [&](auto shards, auto count) { to.add(static_cast<std::uint32_t>(shards), count); });
  }
  void read(as::amounts, std::string_view name, amounts& to) const {
    const auto* const object = from_.object(name);
    if (object == nullptr) return;
    const stored_fields parts{*object, from_};
    to = {parts.number("commands"), parts.number("total"), parts.number("most")};
  }
  void read(as::text_counts, std::string_view name, text_counts& to) const {
    read_objects(from_, name, [&](const stored_fields& each) {
      to.add_others(each.number("other"));
      if (each.has("text")) to.add(each.text("text"), each.number("count"));
    });
  }
  /// Reads the counts by action. Ignores actions that only newer versions know.
  void read(as::actions, std::string_view name, action_counts& to) const {
    const auto* const object = from_.object(name);
    if (object == nullptr) return;
    const stored_fields actions{*object, from_};
    for (std::size_t i = 0; i < to.size(); ++i) {
      to[i] = actions.number(label(static_cast<finding_action>(i)));
    }
  }
  void read(as::callers, std::string_view name, callers& to) const {
    to.add_others(from_.number("otherCallers"));
    read_objects(from_, name, [&](const stored_fields& each) {
      caller one;
      for (const auto& field : caller_fields) one.*field.text = each.text(field.name);
      one.count = each.number("count");
      to.add(one);
    });
  }

 private:
  const stored_fields& from_;
};

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

/// Clamps a count to the maximum that readers accept.
std::uint64_t clamped(std::uint64_t count) {
  return std::min(count, stored_fields::most);
}

void append_number(json_writer& to, std::string_view name, std::uint64_t count) {
  if (count != 0) to.number(name, clamped(count));
}

void append_pair(json_writer& to, std::uint64_t of, std::uint64_t count) {
  to.array();
  to.number(of);
  to.number(clamped(count));
  to.end();
}

/// Writes fields to a line's object: one function for each type. Omits empty and zero values.
class field_writer {
 public:
  explicit field_writer(json_writer& to) noexcept : to_(to) {}

  void write(as::text, std::string_view name, std::string_view text) const {
    if (text.empty()) return;
    to_.name(name);
    append_stored_text(to_, text);
  }
  void write(as::hash, std::string_view name, std::uint64_t hash) const {
    to_.text(name, routing::shape_hash_text(hash));
  }
  template <typename Enum>
  void write(as::label, std::string_view name, Enum value) const {
    write(as::text{}, name, label(value));
  }
  void write(as::texts, std::string_view name, const std::vector<std::string>& texts) const {
    if (texts.empty()) return;
    to_.array(name);
    for (const std::string& one : texts) append_stored_text(to_, one);
    to_.end();
  }
  void write(as::index, std::string_view name,
             const std::optional<std::uint32_t>& index) const {
    if (index) to_.number(name, *index);
  }
  void write(as::count, std::string_view name, std::uint64_t count) const {
    append_number(to_, name, count);
  }
  void write(as::nanos, std::string_view name, nanoseconds duration) const {
    to_.number(name, std::max(duration, nanoseconds{0}).count());
  }
  void write(as::time, std::string_view name, const std::optional<wall_time>& time) const {
    if (time) to_.number(name, nanoseconds{time->time_since_epoch()}.count());
  }
  template <typename ByRouting>
  void write(as::by_routing, std::string_view name, const ByRouting& counts) const {
    to_.object(name);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      append_number(to_, label(static_cast<routing::routing_class>(i)), counts[i]);
    }
    to_.end();
  }
  void write(as::shards, std::string_view name, const shard_requests& of) const {
    if (of.commands == 0) return;
    to_.object(name);
    to_.number("commands", clamped(of.commands));
    to_.number("asked", clamped(of.asked));
    append_number(to_, "wasted", of.wasted);
    append_number(to_, "most", of.most);
    to_.end();
  }
  /// Writes pairs of a bucket's number and its count.
  void write(as::histogram, std::string_view name, const time_histogram& of) const {
    if (of.count() == 0) return;
    const auto& buckets = of.bucket_counts();
    to_.array(name);
    for (std::size_t i = 0; i < buckets.size(); ++i) {
      if (buckets[i] != 0) append_pair(to_, i, buckets[i]);
    }
    to_.end();
  }
  /// Writes pairs of a number of shards and a count.
  void write(as::fanouts, std::string_view name, const fanout_counts& of) const {
    if (of.all().empty()) return;
    to_.array(name);
    for (const auto& one : of.all()) append_pair(to_, one.shards, one.commands);
    to_.end();
  }
  void write(as::amounts, std::string_view name, const amounts& of) const {
    if (of.commands == 0) return;
    to_.object(name);
    to_.number("commands", clamped(of.commands));
    append_number(to_, "total", of.total);
    append_number(to_, "most", of.most);
    to_.end();
  }
  /// Writes texts with their counts. Commands of other texts have an entry without a text.
  void write(as::text_counts, std::string_view name, const text_counts& of) const {
    if (of.all().empty() && of.others() == 0) return;
    to_.array(name);
    for (const text_counts::counted& one : of.all()) {
      to_.object();
      write(as::text{}, "text", one.text);
      to_.number("count", clamped(one.commands));
      to_.end();
    }
    if (of.others() != 0) {
      to_.object();
      to_.number("other", clamped(of.others()));
      to_.end();
    }
    to_.end();
  }
  void write(as::actions, std::string_view name, const action_counts& of) const {
    if (of == action_counts{}) return;
    to_.object(name);
    for (std::size_t i = 0; i < of.size(); ++i) {
      append_number(to_, label(static_cast<finding_action>(i)), of[i]);
    }
    to_.end();
  }
  void write(as::callers, std::string_view name, const callers& who) const {
    append_number(to_, "otherCallers", who.others());
    const auto all = who.all();
    if (all.empty()) return;
    to_.array(name);
    for (const caller& one : all) {
      to_.object();
      for (const auto& field : caller_fields) {
        write(as::text{}, field.name, one.*field.text);
      }
      to_.number("count", clamped(one.count));
      to_.end();
    }
    to_.end();
  }

 private:
  json_writer& to_;
};

/// Formats a row as a line. `actions`: the row's findings by action; null: its own.
std::string line_of(const row& of, const action_counts* actions) {
  std::string line;
  json_writer to{line};
  to.object();
  const field_writer fields{to};
  each_field<in_state>([&](const auto& field) {
    if constexpr (std::is_same_v<typename std::remove_cvref_t<decltype(field)>::type,
                                 as::actions>) {
      fields.write(field.as, field.names.stored, actions != nullptr ? *actions : field.in(of));
    } else {
      fields.write(field.as, field.names.stored, field.in(of));
    }
  });
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

/// Calls `visit` with the type, the name and the value of each sum over all rows.
template <typename Totals, typename Visit>
void each_sum(Totals& of, const Visit& visit) {
  visit(as::count{}, "commands", of.commands);
  visit(as::count{}, "errors", of.errors);
  visit(as::by_routing{}, "byRouting", of.by_routing);
  visit(as::shards{}, "shardRequests", of.shards);
  visit(as::time{}, "fromNanos", of.from);
  visit(as::time{}, "toNanos", of.to);
}

/// The content of the line with the sums over all rows.
struct stored_sums {
  totals all;                      ///< over all commands, including those of evicted rows
  std::uint64_t evicted_rows = 0;  ///< the number of evicted rows
  std::uint64_t error_bound = 0;   ///< how much too low a new row's count may be
};
/// The beginning of the line with the sums.
constexpr std::string_view stored_sums_begin = R"({"totals":)";

text::result<stored_sums> read_stored_sums(std::string_view line) {
  return read_line(line, [](const stored_fields& from) {
    stored_sums sums;
    sums.evicted_rows = from.number("evictedRows");
    sums.error_bound = from.number("countErrorBound");
    if (const auto* const object = from.object("totals")) {
      const stored_fields all{*object, from};
      const field_reader fields{all};
      each_sum(sums.all,
               [&](auto type, const char* name, auto& to) { fields.read(type, name, to); });
    }
    return sums;
  });
}

void append_stored(std::string& to, const stored_sums& of) {
  json_writer whole{to};
  whole.object();
  whole.object("totals");
  const field_writer fields{whole};
  each_sum(of.all, [&](auto type, const char* name, const auto& value) {
    fields.write(type, name, value);
  });
  whole.end();
  append_number(whole, "evictedRows", of.evicted_rows);
  append_number(whole, "countErrorBound", of.error_bound);
  whole.end();
}

}  // namespace

text::result<row> stored_row(std::string_view line) {
  return read_line(line, [](const stored_fields& from) {
    row made;
    const field_reader fields{from};
    each_field<in_state>(
        [&](const auto& field) { fields.read(field.as, field.names.stored, field.in(made)); });
    return made;
  });
}

void append_stored(std::string& to, const row& of, const action_counts* actions) {
  std::string line = line_of(of, actions);
  if (line.size() > max_stored_row_bytes) {
    row less = without_callers(of);
    line = line_of(less, actions);
    if (line.size() > max_stored_row_bytes) {
      less.what = {of.what.routing, of.what.bounds, of.what.why, {}, {}, {}, {}, {}};
      line = line_of(less, actions);
    }
  }
  to += line;
}

bool is_stored(std::string_view begins) noexcept {
  return begins.starts_with(head_begins);
}

std::string stored_text(const table& of, std::size_t max_bytes, const actions_of_row& actions) {
  std::string text;
  json_writer head{text};
  head.object();
  head.text("type", stored_type);
  head.number("schemaVersion", stored_schema_version);
  head.end();
  text += '\n';
  stored_sums sums{of.all(), of.evicted_rows(), of.error_bound()};
  std::uint64_t written = 0;
  std::string line;
  for (const row* one : of.ranked()) {
    line.clear();
    append_stored(line, *one, actions ? actions(*one) : nullptr);
    if (text.size() + line.size() + room_for_end <= max_bytes) {
      text += line + '\n';
      ++written;
    } else {
      ++sums.evicted_rows;
      sums.error_bound = std::max(sums.error_bound, one->count + one->error_bound);
    }
  }
  append_stored(text, sums);
  text += '\n';
  const std::string all_before = hex(checksum(0, text));
  json_writer end{text};
  end.object();
  end.flag("end", true);
  end.number("rows", written);
  end.text("crc32c", all_before);
  end.end();
  text += '\n';
  return text;
}

text::result<void> stored_reader::ended_by(const text::problem& found) {
  return end_.emplace("line " + std::to_string(lines_), found.what);
}

text::result<void> stored_reader::read_line(std::string_view line) {
  if (end_) return *end_;
  const auto taken = take_next(line);
  return taken ? taken : ended_by(taken.error());
}

text::result<void> stored_reader::take_next(std::string_view line) {
  // A section with its own header after the end belongs to another reader.
  if (next_ == part::after_end && line.starts_with(any_head_begins) && !is_stored(line)) {
    next_ = part::other_section;
  }
  if (next_ == part::other_section) return {};
  ++lines_;
  bytes_ += line.size() + 1;
  if (bytes_ > max_stored_bytes) return text::failure("more than 64 MiB");
  if (line.size() > max_stored_row_bytes) {
    return text::failure("longer than the maximum");
  }
  const bool is_end = next_ == part::end && line.starts_with(end_begins);
  if (!is_end) checksum_ = checksum(checksum(checksum_, line), "\n");
  switch (next_) {
    case part::head:
      return take_head(line);
    case part::rows:
      return line.starts_with(stored_sums_begin) ? take_sums(line) : take_row(line);
    case part::end:
      if (is_end) return take_end(line);
      return text::failure("no row after the totals");
    case part::after_end:
    case part::other_section:
      break;
  }
  return text::failure("unexpected data after the end");
}

text::result<void> stored_reader::take_head(std::string_view line) {
  boost::system::error_code failed;
  const json::value parsed = json::parse(line, failed);
  if (failed || !is_stored(line) || !parsed.is_object()) {
    return text::failure("not a stored digest");
  }
  std::optional<text::problem> wrong;
  const stored_fields from{parsed.as_object(), wrong};
  const std::uint64_t version = from.number("schemaVersion");
  if (wrong || version == 0) return text::failure("not a stored digest");
  if (version > stored_schema_version) {
    return text::failure("written by a newer version: its schemaVersion is " +
                         std::to_string(version) + ", this one reads " +
                         std::to_string(stored_schema_version));
  }
  next_ = part::rows;
  return {};
}

text::result<void> stored_reader::take_row(std::string_view line) {
  const auto read = stored_row(line);
  if (!read) return read.error();
  rows_.add(*read);
  ++rows_read_;
  return {};
}

text::result<void> stored_reader::take_sums(std::string_view line) {
  const auto sums = read_stored_sums(line);
  if (!sums) return sums.error();
  const totals& of_rows = rows_.all();
  const auto is_enough = [](std::uint64_t all, std::uint64_t rows) {
    return all >= std::min(rows, stored_fields::most);
  };
  if (!is_enough(sums->all.commands, of_rows.commands) ||
      !is_enough(sums->all.shards.asked, of_rows.shards.asked) ||
      !is_enough(sums->all.shards.wasted, of_rows.shards.wasted)) {
    return text::failure("the totals are less than the rows");
  }
  rows_.restore(sums->all, sums->evicted_rows, sums->error_bound);
  next_ = part::end;
  return {};
}

text::result<void> stored_reader::take_end(std::string_view line) {
  boost::system::error_code failed;
  const json::value parsed = json::parse(line, failed);
  if (failed || !parsed.is_object()) return text::failure("the end can't be read");
  std::optional<text::problem> wrong;
  const stored_fields from{parsed.as_object(), wrong};
  const std::uint64_t rows = from.number("rows");
  const std::string expected = from.text("crc32c");
  if (wrong || rows != rows_read_) {
    return text::failure(std::to_string(rows_read_) + " rows where " + std::to_string(rows) +
                         " were written");
  }
  if (expected != hex(checksum_)) return text::failure("corrupt: the checksum doesn't match");
  next_ = part::after_end;
  return {};
}

text::result<void> stored_reader::finish() {
  if (end_) return *end_;
  if (next_ == part::after_end || next_ == part::other_section) return {};
  return ended_by(text::failure(lines_ == 0 ? "empty" : "truncated: its end is missing"));
}

stored_digest read_stored(std::string_view text, std::size_t max_rows) {
  stored_reader reader{max_rows};
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (!reader.read_line(text.substr(0, end))) break;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  const auto all = reader.finish();
  return {std::move(reader.rows()), all ? std::nullopt : std::optional{all.error()}};
}

}  // namespace scattergate::digest
