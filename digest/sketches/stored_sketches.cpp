#include "digest/sketches/stored_sketches.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include <boost/json.hpp>
#include <boost/system/error_code.hpp>

#include "digest/stored_fields.hpp"
#include "text/json_writer.hpp"
#include "wire/crc32c.hpp"

// read_stored_sketches(): parses lines of JSON, which are untrusted.

namespace scattergate::digest {
namespace {

using text::json_writer;

constexpr int correlation_digits = 4;

void append_content(json_writer& to, const collection_sketches::content& of) {
  to.number("requests", of.requests);
  to.number("pinned", of.pinned);
  to.text("distinct", of.values.distinct().text());
  to.number("total", of.values.commonest().total());
  to.array("commonest");
  for (const common_value& each : of.values.commonest().ranked()) {
    to.array();
    to.text(hex_text(each.hash_prefix, uint32_hex_digits));
    to.number(each.count);
    to.number(each.error);
    to.end();
  }
  to.end();
  const minute_shares minutes = of.values.minutes(0);
  to.array("minutes");
  to.number(minutes.requests);
  to.number(minutes.hottest);
  to.end();
  if (!of.order) return;
  std::string correlation;
  json_writer{correlation}.decimal(of.order->correlation, correlation_digits);
  to.array("order");
  to.number(of.order->values);
  to.text(correlation);
  to.flag(of.order->is_of_inserts);
  to.end();
}

void append_collection(std::string& text, const collection_sketches& of) {
  json_writer to{text};
  to.object();
  to.name("database");
  append_stored_text(to, of.database());
  to.name("collection");
  append_stored_text(to, of.collection());
  to.number("requests", of.requests());
  to.array("fields");
  for (const auto& each : of.fields()) {
    to.object();
    to.name("path");
    append_stored_text(to, each.path);
    append_content(to, each.of);
    to.end();
  }
  to.end();
  to.array("pairs");
  for (const auto& each : of.pairs()) {
    to.object();
    to.name("first");
    append_stored_text(to, each.first);
    to.name("second");
    append_stored_text(to, each.second);
    append_content(to, each.of);
    to.end();
  }
  to.end();
  to.end();
  text += '\n';
}

std::string end_of(std::string_view lines) {
  std::string text;
  json_writer to{text};
  to.object();
  to.flag("end", true);
  to.text("crc32c",
          hex_text(wire::crc32c(0, std::as_bytes(std::span{lines})), uint32_hex_digits));
  to.end();
  return text + '\n';
}

}  // namespace

std::string stored_sketches(const sketch_set& of) {
  std::string text;
  if (of.size() == 0) return text;
  json_writer head{text};
  head.object();
  head.text("type", "scattergate.sketches");
  head.number("schemaVersion", sketches_schema_version);
  head.text("salt", hex_text(of.salt_id(), salt_id_digits));
  head.number("collections", of.size());
  head.end();
  text += '\n';
  for (const collection_sketches* each : of.all()) append_collection(text, *each);
  return text + end_of(text);
}

namespace {

namespace json = boost::json;

constexpr std::size_t max_name_bytes = 255;
constexpr std::string_view end_begins = R"({"end":)";

std::optional<json::object> object_of(std::string_view line) {
  boost::system::error_code failed;
  json::value parsed = json::parse(line, failed);
  if (failed || !parsed.is_object()) return std::nullopt;
  return std::move(parsed.as_object());
}

std::optional<std::uint64_t> count_in(const json::value& value) {
  boost::system::error_code failed;
  const bool is_whole = value.is_int64() || value.is_uint64();
  const auto number = value.to_number<std::uint64_t>(failed);
  if (!is_whole || failed || number > stored_fields::most) return std::nullopt;
  return number;
}

/// [hash prefix, count, error]
std::optional<common_value> common_value_of(const json::value& from) {
  if (!from.is_array() || from.get_array().size() != 3 || !from.get_array()[0].is_string()) {
    return std::nullopt;
  }
  const json::array& parts = from.get_array();
  const auto hash_prefix = hex_number(parts[0].get_string(), uint32_hex_digits);
  const auto count = count_in(parts[1]);
  const auto error = count_in(parts[2]);
  if (!hash_prefix || !count || !error || *error > *count) return std::nullopt;
  return common_value{static_cast<std::uint32_t>(*hash_prefix), *count, *error};
}

std::optional<value_sketch::common> commonest_of(const json::array& from, std::uint64_t total) {
  if (from.size() > value_sketch::common::capacity) return std::nullopt;
  std::vector<common_value> values;
  std::set<std::uint32_t> hash_prefixes;
  for (const json::value& each : from) {
    const auto one = common_value_of(each);
    if (!one || one->count > total || !hash_prefixes.insert(one->hash_prefix).second)
      return std::nullopt;
    values.push_back(*one);
  }
  value_sketch::common made;
  made.restore(std::move(values), total);
  return made;
}

/// [requests, hottest]
std::optional<minute_shares> minutes_of(const json::array& from) {
  if (from.size() != 2) return std::nullopt;
  const auto requests = count_in(from[0]);
  const auto hottest = count_in(from[1]);
  if (!requests || !hottest || *hottest > *requests) return std::nullopt;
  return minute_shares{*requests, *hottest};
}

/// [values, correlation, is_of_inserts]
std::optional<value_order::result> order_of(const json::array& from) {
  if (from.size() != 3 || !from[1].is_string() || !from[2].is_bool()) return std::nullopt;
  const auto values = count_in(from[0]);
  const std::string_view text = from[1].get_string();
  double correlation = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), correlation);
  const bool is_whole = read.ec == std::errc{} && read.ptr == text.data() + text.size();
  if (!values || !is_whole || !(correlation >= -1 && correlation <= 1)) return std::nullopt;
  return value_order::result{*values, correlation, from[2].get_bool()};
}

std::optional<collection_sketches::content> content_of(const json::object& from) {
  std::optional<text::problem> wrong;
  const stored_fields fields{from, wrong};
  collection_sketches::content made{fields.number("requests"), fields.number("pinned"), {}};
  const auto distinct = cardinality::from(fields.text("distinct"));
  const std::uint64_t total = fields.number("total");
  const json::array none;
  const json::array* const commonest = fields.array("commonest");
  const json::array* const minutes = fields.array("minutes");
  const json::array* const order = fields.array("order");
  const auto read_commonest = commonest_of(commonest != nullptr ? *commonest : none, total);
  const auto read_minutes = minutes != nullptr ? minutes_of(*minutes) : minute_shares{};
  if (order != nullptr) made.order = order_of(*order);
  if (wrong || !distinct || !read_commonest || !read_minutes || (order && !made.order)) {
    return std::nullopt;
  }
  made.values.restore(*distinct, *read_commonest, *read_minutes);
  return made;
}

/// Reads the fields or the pairs; false if one is invalid.
template <typename Take>
bool read_each(const json::array* from, std::size_t most, Take take) {
  if (from == nullptr) return true;
  if (from->size() > most) return false;
  return std::ranges::all_of(*from, [&](const json::value& each) {
    if (!each.is_object()) return false;
    const auto content = content_of(each.get_object());
    std::optional<text::problem> wrong;
    return content && take(stored_fields{each.get_object(), wrong}, *content) && !wrong;
  });
}

bool read_collection(const json::object& from, sketch_set& to) {
  std::optional<text::problem> wrong;
  const stored_fields fields{from, wrong};
  const std::string database = fields.text("database");
  const std::string name = fields.text("collection");
  const std::uint64_t requests = fields.number("requests");
  const json::array* const stored = fields.array("fields");
  const json::array* const pairs = fields.array("pairs");
  const bool is_named = !database.empty() && !name.empty() &&
                        database.size() + name.size() <= max_name_bytes &&
                        to.find(database, name) == nullptr;
  if (wrong || !is_named) return false;
  collection_sketches* const made = to.find_or_add(database, name);
  if (made == nullptr) return false;
  made->add_requests(requests);
  std::set<std::pair<std::string, std::string>> seen;
  const auto take_field = [&](const stored_fields& of, collection_sketches::content content) {
    const std::string path = of.text("path");
    return seen.insert({path, path}).second &&
           made->add(collection_sketches::kept_field{path, std::move(content)});
  };
  const auto take_pair = [&](const stored_fields& of, collection_sketches::content content) {
    const std::string first = of.text("first");
    const std::string second = of.text("second");
    return first < second && seen.insert({first, second}).second &&
           made->add(collection_sketches::kept_pair{first, second, std::move(content)});
  };
  return read_each(stored, collection_sketches::max_fields, take_field) &&
         read_each(pairs, collection_sketches::max_pairs, take_pair);
}

std::string_view next_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

/// Whether `line`, the last line, has the checksum of `lines`, all lines before it.
bool is_end_of(std::string_view line, std::string_view lines) {
  const auto from = object_of(line);
  if (!from) return false;
  std::optional<text::problem> wrong;
  return stored_fields{*from, wrong}.text("crc32c") ==
         hex_text(wire::crc32c(0, std::as_bytes(std::span{lines})), uint32_hex_digits);
}

}  // namespace

std::string_view sketches_in(std::string_view stored) noexcept {
  std::size_t begin = 0;
  while (!stored.substr(begin).starts_with(stored_sketches_begin)) {
    begin = stored.find('\n', begin);
    if (begin == stored.npos) return {};
    ++begin;
  }
  const std::string_view from = stored.substr(begin);
  const std::size_t end = from.find("\n{\"end\":");
  if (end == from.npos) return from;
  return from.substr(0, std::min(from.find('\n', end + 1), from.size() - 1) + 1);
}

text::result<sketch_set> read_stored_sketches(std::string_view text) {
  if (text.size() > max_stored_sketches_bytes) return text::failure("more than 8 MiB");
  const std::string_view all = text;
  const auto head = object_of(next_line(text));
  if (!all.starts_with(stored_sketches_begin) || !head) return text::failure("not sketches");
  std::optional<text::problem> wrong;
  const stored_fields of_head{*head, wrong};
  const std::uint64_t version = of_head.number("schemaVersion");
  if (version > sketches_schema_version) {
    return text::failure("written by a newer version: its schemaVersion is " +
                         std::to_string(version));
  }
  const auto salt_id = hex_number(of_head.text("salt"), salt_id_digits);
  const std::uint64_t collections = of_head.number("collections", sketch_set::max_collections);
  if (wrong || version == 0 || !salt_id) return text::failure("their head is invalid");
  sketch_set made{*salt_id};
  while (!text.empty() && !text.starts_with(end_begins)) {
    const auto line = object_of(next_line(text));
    if (!line || !read_collection(*line, made)) return text::failure("an entry is invalid");
  }
  const std::string_view lines = all.substr(0, all.size() - text.size());
  if (text.empty() || made.size() != collections) return text::failure("truncated");
  if (!is_end_of(next_line(text), lines)) {
    return text::failure("corrupt: the checksum doesn't match");
  }
  return made;
}

}  // namespace scattergate::digest
