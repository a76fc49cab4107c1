#include "digest/sketch/sketch_line.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <optional>

#include <boost/json.hpp>
#include <boost/system/error_code.hpp>

#include "digest/stored_fields.hpp"
#include "text/json_writer.hpp"

namespace scattergate::digest {
namespace {

namespace json = boost::json;

using text::json_writer;

/// A register is one digit of these.
constexpr std::string_view digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static_assert(digits.size() > cardinality::highest);

constexpr std::size_t hash_digits = 16;

std::string registers_text(const cardinality& of) {
  std::string text;
  for (const std::uint8_t rank : of.all()) text += digits[rank];
  return text;
}

void append_hash(json_writer& to, std::uint64_t hash) {
  std::array<char, hash_digits + 1> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(hash));
  to.text(text.data());
}

void append_values(json_writer& to, const value_sketch::parts& of) {
  to.object("sketch");
  to.number("requests", of.requests);
  to.text("registers", registers_text(of.distinct));
  to.array("values");
  for (const frequent_value& one : of.common.all()) {
    to.array();
    append_hash(to, one.hash);
    to.number(one.count);
    to.number(one.error);
    to.end();
  }
  to.end();
  to.number("floor", of.common.floor());
  to.object("minutes");
  to.number("count", of.minutes.minutes);
  to.number("requests", of.minutes.requests);
  to.number("hottest", of.minutes.hottest);
  to.number("worstCount", of.minutes.worst_count);
  to.number("worstOf", of.minutes.worst_of);
  to.end();
  to.object("order");
  to.number("compared", of.order.compared);
  to.number("ascending", of.order.ascending);
  to.number("descending", of.order.descending);
  to.end();
  to.end();
}

void read_registers(const stored_fields& from, cardinality& to) {
  const std::string text = from.text("registers");
  if (text.size() != cardinality::registers) return from.complain("registers");
  for (std::size_t i = 0; i != text.size(); ++i) {
    const std::size_t rank = digits.find(text[i]);
    if (rank > cardinality::highest) return from.complain("registers");
    to.restore(i, static_cast<std::uint8_t>(rank));
  }
}

std::optional<std::uint64_t> hash_in(const json::value& value) {
  const auto* const text = value.if_string();
  if (text == nullptr || text->size() != hash_digits) return std::nullopt;
  std::uint64_t hash = 0;
  const char* const end = text->data() + text->size();
  const auto read = std::from_chars(text->data(), end, hash, 16);
  if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  return hash;
}

std::optional<std::uint64_t> number_in(const json::value& value) {
  boost::system::error_code failed;
  const bool is_whole = value.is_int64() || value.is_uint64();
  const auto number = value.to_number<std::uint64_t>(failed);
  if (!is_whole || failed || number > stored_fields::most) return std::nullopt;
  return number;
}

/// [hash, count, error]
std::optional<frequent_value> value_in(const json::value& from) {
  const auto* const triple = from.if_array();
  if (triple == nullptr || triple->size() != 3) return std::nullopt;
  const auto hash = hash_in((*triple)[0]);
  const auto count = number_in((*triple)[1]);
  const auto error = number_in((*triple)[2]);
  if (!hash || !count || !error || *error > *count) return std::nullopt;
  return frequent_value{*hash, *count, *error};
}

void read_common(const stored_fields& from, frequent_values& to) {
  to.restore_floor(from.number("floor"));
  const auto* const values = from.array("values");
  if (values == nullptr) return;
  if (values->size() > frequent_values::capacity) return from.complain("values");
  for (const json::value& each : *values) {
    const auto one = value_in(each);
    const auto is_there = [&](const frequent_value& other) { return other.hash == one->hash; };
    if (!one || std::ranges::any_of(to.all(), is_there)) return from.complain("values");
    to.restore(*one);
  }
}

void read_minutes(const stored_fields& from, minute_shares& to) {
  to.minutes = from.number("count");
  to.requests = from.number("requests");
  to.hottest = from.number("hottest", to.requests);
  to.worst_of = from.number("worstOf");
  to.worst_count = from.number("worstCount", to.worst_of);
}

void read_order(const stored_fields& from, monotonicity::counts& to) {
  to.compared = from.number("compared");
  to.ascending = from.number("ascending", to.compared);
  to.descending = from.number("descending", to.compared);
}

value_sketch::parts read_values(const stored_fields& around) {
  value_sketch::parts made;
  const auto* const sketch = around.object("sketch");
  if (sketch == nullptr) {
    around.complain("sketch");
    return made;
  }
  const stored_fields from{*sketch, around};
  made.requests = from.number("requests");
  read_registers(from, made.distinct);
  read_common(from, made.common);
  if (const auto* const minutes = from.object("minutes")) {
    read_minutes({*minutes, from}, made.minutes);
  }
  if (const auto* const order = from.object("order")) read_order({*order, from}, made.order);
  return made;
}

std::string path_in(const stored_fields& from, std::string_view name) {
  std::string path = from.text(name);
  if (path.empty() || path.size() > most_path_bytes) from.complain(name);
  return path;
}

/// Reads the objects of a list.
template <typename Read>
void read_each(const stored_fields& from, std::string_view name, std::size_t most,
               const Read& read) {
  const auto* const list = from.array(name);
  if (list == nullptr) return;
  if (list->size() > most) return from.complain(name);
  for (const json::value& one : *list) {
    if (!one.is_object()) return from.complain(name);
    read(stored_fields{one.as_object(), from});
  }
}

void read_parts(const stored_fields& from, const sketch_table::room& has_room,
                collection_sketch& to) {
  read_each(from, "fields", most_sketched_fields, [&](const stored_fields& one) {
    to.add_field(path_in(one, "path"), read_values(one), has_room);
  });
  read_each(from, "pairs", most_sketched_pairs, [&](const stored_fields& one) {
    to.add_pair(path_in(one, "first"), path_in(one, "second"), read_values(one), has_room);
  });
}

std::string name_in(const stored_fields& from, std::string_view name) {
  constexpr std::size_t most_name_bytes = 255;
  std::string text = from.text(name);
  if (text.empty() || text.size() > most_name_bytes) from.complain(name);
  return text;
}

}  // namespace

void append_sketch_line(std::string& to, const collection_sketch& of) {
  json_writer json{to};
  json.object();
  json.name("database");
  append_stored_text(json, of.ns().database);
  json.name("collection");
  append_stored_text(json, of.ns().collection);
  json.number("requests", of.requests());
  json.number("inserts", of.inserts());
  json.number("refused", of.refused());
  json.array("fields");
  for (const collection_sketch::field& one : of.fields()) {
    json.object();
    json.name("path");
    append_stored_text(json, one.path);
    append_values(json, one.values.settled());
    json.end();
  }
  json.end();
  json.array("pairs");
  for (const collection_sketch::pair& one : of.pairs()) {
    json.object();
    json.name("first");
    append_stored_text(json, one.first);
    json.name("second");
    append_stored_text(json, one.second);
    append_values(json, one.values.settled());
    json.end();
  }
  json.end();
  json.end();
}

text::result<void> read_sketch_line(std::string_view line, sketch_table& to) {
  boost::system::error_code failed;
  const json::value parsed = json::parse(line, failed);
  if (failed || !parsed.is_object()) return text::failure("no collection");
  std::optional<text::problem> wrong;
  const stored_fields from{parsed.as_object(), wrong};
  const std::string database = name_in(from, "database");
  const std::string collection = name_in(from, "collection");
  const std::uint64_t requests = from.number("requests");
  if (wrong) return *wrong;
  if (to.find({database, collection}) != nullptr) return text::failure("a collection twice");
  collection_sketch* const into = to.take({database, collection});
  if (into == nullptr) {
    to.count_left_out(requests);
    return {};
  }
  into->add_counts(requests, from.number("inserts", requests), from.number("refused"));
  read_parts(from, to.has_room(), *into);
  if (wrong) return *wrong;
  return {};
}

}  // namespace scattergate::digest
