#include "digest/placeholder.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <span>
#include <vector>

#include "routing/shape/placeholder.hpp"
#include "wire/endian.hpp"

namespace scattergate::digest {
namespace {

/// A place where a generic value of a type is invalid, and the value to use there: as the value
/// of `name`, anywhere below the name `inside`. Empty members match anything.
struct exception {
  std::string_view inside;
  std::string_view name;
  std::string_view placeholder;
  std::string_view value;
};

constexpr std::string_view polygon = "[[[0, 0], [0, 1], [1, 1], [0, 0]]]";

/// The first match applies. Sources in mongo:
/// db/pipeline/document_source_{limit,sample,bucket_auto,
/// bucket,densify,fill,geo_near,set_window_fields}.cpp, db/matcher/expression_parser.cpp
/// ($type, $mod), db/matcher/schema/json_schema_parser.cpp, db/geo/geoparser.cpp,
/// db/query/{canonical_query,projection_parser}, db/update/{pop,bit}_node.cpp,
/// db/pipeline/{expression,accumulator,window_function}.cpp; the list includes constant
/// expressions, because MongoDB evaluates them when it parses a command.
constexpr exception exceptions[] = {
    // positive numbers
    {"", "$limit", "?number", "1"},
    {"", "$sample", "?number", "1"},
    {"", "size", "?number", "1"},
    {"", "buckets", "?number", "1"},
    {"", "step", "?number", "1"},
    {"", "n", "?number", "1"},
    {"", "N", "?number", "1"},
    {"", "alpha", "?number", "0.5"},
    {"", "binSize", "?number", "1"},
    {"", "year", "?number", "1970"},
    {"", "isoWeekYear", "?number", "1970"},
    {"", "$slice", "?number", "1"},
    {"", "strength", "?number", "3"},
    {"", "$ln", "?number", "1"},
    {"", "$log10", "?number", "1"},
    {"", "$alwaysTrue", "?number", "1"},
    {"", "$alwaysFalse", "?number", "1"},
    {"$bucket", "default", "?number", "1"},
    {"$jsonSchema", "multipleOf", "?number", "1"},
    {"max", "", "?number", "1"},  // greater than the values for min
    {"max", "", "?string", R"("x")"},
    // keywords
    {"", "granularity", "?string", R"("R5")"},
    {"", "unit", "?string", R"("day")"},
    {"", "timezone", "?string", R"("UTC")"},
    {"", "startOfWeek", "?string", R"("monday")"},
    {"", "to", "?string", R"("string")"},
    {"", "hint", "?string", R"("_id_")"},
    {"", "locale", "?string", R"("en")"},
    {"", "$language", "?string", R"("none")"},
    {"", "lang", "?string", R"("js")"},
    {"", "field", "?string", R"("x")"},
    {"", "dateString", "?string", R"("1970-01-01")"},
    {"", "format", "?string", R"("%Y-%m-%d")"},
    {"", "$toDate", "?string", R"("1970-01-01")"},
    {"", "$toObjectId", "?string", R"("000000000000000000000000")"},
    {"", "$toInt", "?string", R"("0")"},
    {"", "$toLong", "?string", R"("0")"},
    {"", "$toDouble", "?string", R"("0")"},
    {"", "$toDecimal", "?string", R"("0")"},
    {"", "$where", "?string", R"("true")"},
    {"", "$where", "?javascript", R"(Code("true"))"},
    {"$densify", "bounds", "?string", R"("full")"},
    {"$fill", "method", "?string", R"("locf")"},
    {"", "method", "?string", R"("approximate")"},
    {"$jsonSchema", "bsonType", "?string", R"("string")"},
    {"$jsonSchema", "type", "?string", R"("string")"},
    {"$currentDate", "", "?string", R"("date")"},
    {"collation", "", "?string", R"("en")"},
    // lists of fixed length
    {"", "boundaries", "?array<?number>", "[0, 1]"},
    {"", "boundaries", "?array<?string>", R"(["a", "b"])"},
    {"", "boundaries", "?array<?date>",
     R"([ISODate("1970-01-01T00:00:00Z"), ISODate("1970-01-02T00:00:00Z")])"},
    {"$densify", "bounds", "?array<?number>", "[0, 1]"},
    {"$densify", "bounds", "?array<?date>",
     R"([ISODate("1970-01-01T00:00:00Z"), ISODate("1970-01-02T00:00:00Z")])"},
    {"window", "documents", "?array<?number>", "[-1, 0]"},
    {"window", "documents", "", R"(["unbounded", "current"])"},
    {"window", "range", "?array<?number>", "[-1, 0]"},
    {"window", "range", "", R"(["unbounded", "current"])"},
    {"", "$mod", "?array<?number>", "[1, 1]"},
    {"", "$slice", "?array<?number>", "[0, 1]"},
    {"", "$divide", "?array<?number>", "[1, 1]"},
    {"", "$subtract", "?array<?number>", "[1, 1]"},
    {"", "$pow", "?array<?number>", "[1, 1]"},
    {"", "$log", "?array<?number>", "[1, 2]"},
    {"", "$range", "?array<?number>", "[0, 1]"},
    {"", "$atan2", "?array<?number>", "[1, 1]"},
    {"", "$cmp", "?array<?number>", "[1, 1]"},
    {"", "$round", "?array<?number>", "[1, 0]"},
    {"", "$trunc", "?array<?number>", "[1, 0]"},
    {"$jsonSchema", "enum", "?array<>", "[0]"},
    {"$jsonSchema", "bsonType", "?array<?string>", R"(["string"])"},
    {"$jsonSchema", "type", "?array<?string>", R"(["string"])"},
    {"", "$type", "?string", R"("string")"},
    {"", "$type", "?number", "2"},
    {"", "$type", "?array<?string>", R"(["string"])"},
    {"", "$type", "?array<?number>", "[2]"},
    {"", "$type", "?array<>", R"(["string", 2])"},
    // points
    {"", "$near", "?array<?number>", "[0, 0]"},
    {"", "$nearSphere", "?array<?number>", "[0, 0]"},
    {"", "near", "?array<?number>", "[0, 0]"},
    {"$near", "type", "?string", R"("Point")"},
    {"$nearSphere", "type", "?string", R"("Point")"},
    {"near", "type", "?string", R"("Point")"},
    {"$near", "coordinates", "", "[0, 0]"},
    {"$nearSphere", "coordinates", "", "[0, 0]"},
    {"near", "coordinates", "", "[0, 0]"},
    {"$geometry", "type", "?string", R"("Polygon")"},
    {"$geometry", "coordinates", "", polygon},
    {"", "$box", "", "[[0, 0], [1, 1]]"},
    {"", "$polygon", "", "[[0, 0], [0, 1], [1, 1]]"},
    {"", "$center", "", "[[0, 0], 1]"},
    {"", "$centerSphere", "", "[[0, 0], 1]"},
    // values of update operators and of sort
    {"$pop", "", "?number", "1"},
    {"$bit", "", "?object", R"({"and": 0})"},
    {"sort", "", "?number", "1"},
    {"$sort", "", "?number", "1"},
    {"sortBy", "", "?number", "1"},
    {"hint", "", "?number", "1"},
};

/// A generic value for the placeholder `name`.
std::string value_of(std::string_view name) {
  using routing::placeholder_list;
  if (name.starts_with(placeholder_list) && name.ends_with('>')) {
    const auto of =
        name.substr(placeholder_list.size(), name.size() - placeholder_list.size() - 1);
    return of.empty() ? "[]" : "[" + value_of(of) + "]";
  }
  const auto* const known = routing::placeholder_named(name);
  if (known == nullptr || known->example.empty()) return "\"" + std::string{name} + "\"";
  return std::string{known->example} + " /*" + std::string{name} + "*/";
}

/// Writes a shape with values, keeping track of the field names around them.
class value_writer {
 public:
  explicit value_writer(std::string_view shape) : shape_(shape) {}

  [[nodiscard]] std::string whole() {
    while (at_ < shape_.size()) {
      const char letter = shape_[at_];
      if (letter == '"') {
        write_text();
        continue;
      }
      ++at_;
      if (letter == '{' || letter == '[') open(letter);
      if (letter == '}' || letter == ']') close(letter);
      if (letter != '{' && letter != '[' && letter != '}' && letter != ']') text_ += letter;
    }
    return with_variables();
  }

 private:
  struct nesting {
    std::string_view name;  ///< the name before the bracket
    bool is_statement = false;
    bool has_filter = false;
    bool is_empty = true;
  };

  /// Returns the text, with a `let` for the variables that the shape uses but doesn't define.
  std::string with_variables() {
    std::string let;
    for (const std::string_view name : used_) {
      if (std::ranges::find(defined_, name) != defined_.end()) continue;
      defined_.push_back(name);
      let += (let.empty() ? "\"" : ",\"") + std::string{name} + "\":0";
    }
    if (!let.empty()) text_ += (text_.empty() ? "" : ",") + ("\"let\":{" + let) + "}";
    return std::move(text_);
  }

  void open(char bracket) {
    // An element of `updates` or `deletes`, whose list belongs to the command itself.
    const bool is_statement =
        bracket == '{' && open_.size() == 1 &&
        (open_.front().name == "updates" || open_.front().name == "deletes");
    if (is_statement && !open_.front().is_empty) return skip_statement();
    text_ += bracket;
    if (!open_.empty()) open_.back().is_empty = false;
    open_.push_back({name_, is_statement});
    // Elements of a list inherit the list's name.
    if (bracket == '{') name_ = {};
  }

  /// explain takes one statement, so the others are skipped.
  void skip_statement() {
    if (text_.ends_with(',')) text_.pop_back();
    std::size_t depth = 1;
    for (; at_ < shape_.size() && depth != 0; ++at_) {
      const char letter = shape_[at_];
      if (letter == '"') at_ = end_of_text() - 1;
      if (letter == '{' || letter == '[') ++depth;
      if (letter == '}' || letter == ']') --depth;
    }
  }

  /// The position after the closing quote of the text that begins at at_.
  [[nodiscard]] std::size_t end_of_text() const {
    std::size_t end = at_ + 1;
    while (end < shape_.size() && shape_[end] != '"') end += shape_[end] == '\\' ? 2 : 1;
    return std::min(end + 1, shape_.size());
  }

  void note_variables(std::string_view inside, bool is_name) {
    const std::string_view behind = open_.empty() ? std::string_view{} : open_.back().name;
    const bool defines = is_name ? behind == "let" || behind == "vars" : name_ == "as";
    if (defines) defined_.push_back(inside);
    if (is_name || !inside.starts_with("$$") || inside.size() < 3) return;
    const std::string_view name =
        inside.substr(2, std::min(inside.find('.'), inside.size()) - 2);
    if (name.front() >= 'a' && name.front() <= 'z') used_.push_back(name);
  }

  void close(char bracket) {
    if (open_.empty()) {
      text_ += bracket;
      return;
    }
    const nesting& closed = open_.back();
    if (closed.is_statement && !closed.has_filter)
      text_ += closed.is_empty ? R"("q":{})" : R"(,"q":{})";
    text_ += bracket;
    name_ = closed.name;
    open_.pop_back();
  }

  void write_text() {
    const std::size_t end = end_of_text();
    const std::string_view quoted = shape_.substr(at_, end - at_);
    const std::string_view inside = quoted.substr(1, quoted.size() < 2 ? 0 : quoted.size() - 2);
    at_ = end;
    if (!open_.empty()) open_.back().is_empty = false;
    const bool is_name = end < shape_.size() && shape_[end] == ':';
    note_variables(inside, is_name);
    if (is_name) {
      name_ = inside;
      if (!open_.empty() && inside == "q") open_.back().has_filter = true;
      text_ += quoted;
    } else {
      text_ += inside.starts_with('?') ? placed(inside) : std::string{quoted};
    }
  }

  [[nodiscard]] bool is_inside(std::string_view name) const {
    return std::ranges::any_of(open_, [&](const nesting& one) { return one.name == name; });
  }

  /// The value that replaces the placeholder `name` at this place.
  [[nodiscard]] std::string placed(std::string_view name) const {
    const auto fits = [&](const exception& one) {
      return (one.name.empty() || one.name == name_) &&
             (one.placeholder.empty() || one.placeholder == name) &&
             (one.inside.empty() || is_inside(one.inside));
    };
    const auto* const found = std::ranges::find_if(exceptions, fits);
    if (found == std::end(exceptions)) return value_of(name);
    return std::string{found->value} + " /*" + std::string{name} + "*/";
  }

  std::string_view shape_;
  std::size_t at_ = 0;
  std::string_view name_;      ///< the name before the current place
  std::vector<nesting> open_;  ///< documents and lists, outermost first
  std::vector<std::string_view> used_;
  std::vector<std::string_view> defined_{"this", "value"};
  std::string text_;
};

using wire::bson_type;
using wire::bson_writer;

template <typename Number>
std::array<std::byte, sizeof(Number)> bytes_of(Number number) {
  std::array<std::byte, sizeof number> bytes{};
  wire::store_little(bytes.data(), number);
  return bytes;
}

/// Writes the rank, big-endian, into the last bytes of a value that MongoDB compares bytewise.
void put_behind(std::span<std::byte> value, std::int32_t rank) {
  for (std::size_t i = 1; i <= sizeof rank; ++i) {
    value[value.size() - i] = static_cast<std::byte>(rank & 0xff);
    rank >>= 8;
  }
}

void write_text(std::string_view name, std::int32_t rank, bson_writer& to) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "a%010d", rank);  // in the order of the ranks
  to.text(name, text.data());
}

void write_container(std::string_view name, bool is_array, std::int32_t rank, bson_writer& to) {
  is_array ? to.open_array(name) : to.open_document(name);
  to.int32(is_array ? "0" : "a", rank);
  to.close();
}

void write_object_id(std::string_view name, std::int32_t rank, bson_writer& to) {
  std::array<std::byte, 12> id{};
  id.front() = std::byte{0x65};
  put_behind(id, rank);
  to.raw(name, bson_type::object_id, id);
}

void write_uuid(std::string_view name, std::int32_t rank, bson_writer& to) {
  std::array<std::byte, 21> uuid{};  // length, subtype, bytes
  wire::store_little(uuid.data(), std::int32_t{16});
  uuid[4] = std::byte{4};
  put_behind(uuid, rank);
  to.raw(name, bson_type::binary, uuid);
}

void write_regex(std::string_view name, bson_writer& to) {
  constexpr std::array regex = {std::byte{'^'}, std::byte{'a'}, std::byte{0}, std::byte{0}};
  to.raw(name, bson_type::regex, regex);
}

bool write_value(std::string_view name, bson_type type, std::int32_t rank, bson_writer& to) {
  switch (type) {
    case bson_type::float64:
    case bson_type::int32:
    case bson_type::int64:
    case bson_type::decimal128:
      to.int32(name, rank);
      break;
    case bson_type::string:
      write_text(name, rank, to);
      break;
    case bson_type::boolean:
      to.boolean(name, true);
      break;
    case bson_type::document:
    case bson_type::array:
      write_container(name, type == bson_type::array, rank, to);
      break;
    case bson_type::object_id:
      write_object_id(name, rank, to);
      break;
    case bson_type::date:
    case bson_type::timestamp:
      to.raw(name, type, bytes_of(std::int64_t{1'700'000'000'000} + rank));
      break;
    case bson_type::binary:
      write_uuid(name, rank, to);
      break;
    case bson_type::regex:
      write_regex(name, to);
      break;
    case bson_type::null:
    case bson_type::undefined:
    case bson_type::min_key:
    case bson_type::max_key:
      to.raw(name, type, {});
      break;
    case bson_type::db_pointer:
    case bson_type::code:
    case bson_type::symbol:
    case bson_type::code_with_scope:
      return false;
  }
  return true;
}

}  // namespace

std::string with_values(std::string_view shape) {
  return value_writer{shape}.whole();
}

bool write_placeholder(std::string_view name, std::string_view placeholder, std::int32_t rank,
                       bson_writer& to) {
  const auto* const known = routing::placeholder_named(placeholder);
  return known != nullptr && write_value(name, known->type, rank, to);
}

}  // namespace scattergate::digest
