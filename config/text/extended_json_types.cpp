#include "config/text/extended_json_types.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "config/text/extended_json_text.hpp"

namespace scattergate::config {
namespace {

using node = text_tree::node;

/// The document and field that a wrapper is appended to.
struct target {
  bson_t& to;
  std::string_view key;
  [[nodiscard]] const char* name() const { return key.data(); }
  [[nodiscard]] int name_size() const { return static_cast<int>(key.size()); }
};

[[noreturn]] void refuse(const node& at, std::string_view wrapper, std::string_view expected) {
  throw value_error{
      {at.line(), "malformed " + std::string{wrapper} + ": " + std::string{expected}}};
}

std::string text_of(const node& value, std::string_view wrapper) {
  if (!value.is_scalar()) refuse(value, wrapper, "expected a string");
  return std::string{value.text()};
}

// Reads a text without NUL bytes, because libbson takes some texts as C strings.
std::string c_text_of(const node& value, std::string_view wrapper) {
  std::string text = text_of(value, wrapper);
  if (text.find('\0') != text.npos) refuse(value, wrapper, "contains a NUL byte");
  return text;
}

template <typename Number>
Number number_of(const node& value, std::string_view wrapper) {
  const std::string text = text_of(value, wrapper);
  Number number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stop != end) refuse(value, wrapper, "not a valid number");
  return number;
}

std::optional<node> member(const node& map, std::string_view name) {
  if (!map.is_map()) return std::nullopt;
  for (auto at = map.begin(); at != map.end(); ++at) {
    const bool found = (*at).text() == name;
    if (const node value = *++at; found) return value;
  }
  return std::nullopt;
}

// The values of a map that has exactly these two keys.
std::pair<node, node> pair_of(const node& map, std::string_view wrapper, std::string_view first,
                              std::string_view second) {
  const auto a = member(map, first);
  const auto b = member(map, second);
  if (!a || !b || map.child_count() != 4) {
    refuse(map, wrapper, "expected " + std::string{first} + " and " + std::string{second});
  }
  return {*a, *b};
}

void append_oid(const target& at, const node& value) {
  const std::string text = text_of(value, "$oid");
  if (!bson_oid_is_valid(text.data(), text.size()) || text.size() != 24) {
    refuse(value, "$oid", "expected 24 hexadecimal digits");
  }
  bson_oid_t oid;
  bson_oid_init_from_string(&oid, text.c_str());
  require(bson_append_oid(&at.to, at.name(), at.name_size(), &oid), value);
}

void append_int32(const target& at, const node& value) {
  require(bson_append_int32(&at.to, at.name(), at.name_size(),
                            number_of<std::int32_t>(value, "$numberInt")),
          value);
}

void append_int64(const target& at, const node& value) {
  require(bson_append_int64(&at.to, at.name(), at.name_size(),
                            number_of<std::int64_t>(value, "$numberLong")),
          value);
}

void append_double(const target& at, const node& value) {
  const std::string text = text_of(value, "$numberDouble");
  double number = std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity" || text == "-Infinity") {
    number = text.front() == '-' ? -std::numeric_limits<double>::infinity()
                                 : std::numeric_limits<double>::infinity();
  } else if (text != "NaN") {
    number = number_of<double>(value, "$numberDouble");
    if (!std::isfinite(number)) refuse(value, "$numberDouble", "not a valid number");
  }
  require(bson_append_double(&at.to, at.name(), at.name_size(), number), value);
}

void append_decimal(const target& at, const node& value) {
  const std::string text = c_text_of(value, "$numberDecimal");
  bson_decimal128_t number;
  if (!bson_decimal128_from_string(text.c_str(), &number)) {
    refuse(value, "$numberDecimal", "not a valid number");
  }
  require(bson_append_decimal128(&at.to, at.name(), at.name_size(), &number), value);
}

void append_bytes(const target& at, const node& from, const std::string& bytes,
                  unsigned subtype) {
  require(bson_append_binary(&at.to, at.name(), at.name_size(),
                             static_cast<bson_subtype_t>(subtype),
                             reinterpret_cast<const std::uint8_t*>(bytes.data()),
                             static_cast<std::uint32_t>(bytes.size())),
          from);
}

void append_binary(const target& at, const node& base64, const node& subtype) {
  const auto bytes = decode_base64(text_of(base64, "$binary"));
  if (!bytes) refuse(base64, "$binary", "expected base64");
  const std::string digits = text_of(subtype, "$binary");
  unsigned code = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, code, 16);
  if (error != std::errc{} || stop != end || code > 0xff) {
    refuse(subtype, "$binary", "expected a sub-type of one or two hexadecimal digits");
  }
  append_bytes(at, base64, *bytes, code);
}

void append_modern_binary(const target& at, const node& value) {
  const auto [base64, subtype] = pair_of(value, "$binary", "base64", "subType");
  append_binary(at, base64, subtype);
}

void append_uuid(const target& at, const node& value) {
  const auto bytes = decode_uuid(text_of(value, "$uuid"));
  if (!bytes) refuse(value, "$uuid", "expected a UUID with dashes");
  append_bytes(at, value, *bytes, BSON_SUBTYPE_UUID);
}

void append_date(const target& at, const node& value) {
  std::int64_t millis = 0;
  if (const auto wrapped = member(value, "$numberLong"); wrapped && value.child_count() == 2) {
    millis = number_of<std::int64_t>(*wrapped, "$date");
  } else if (value.is_scalar() && value.is_plain()) {
    const auto time = parse_time(value.text());  // in YAML a time may be unquoted
    millis = time ? *time : number_of<std::int64_t>(value, "$date");
  } else {
    const auto time = parse_time(text_of(value, "$date"));
    if (!time) refuse(value, "$date", "expected a time such as 2024-01-31T12:00:00Z");
    millis = *time;
  }
  require(bson_append_date_time(&at.to, at.name(), at.name_size(), millis), value);
}

void append_timestamp(const target& at, const node& value) {
  const auto [seconds, counter] = pair_of(value, "$timestamp", "t", "i");
  require(bson_append_timestamp(&at.to, at.name(), at.name_size(),
                                number_of<std::uint32_t>(seconds, "$timestamp"),
                                number_of<std::uint32_t>(counter, "$timestamp")),
          value);
}

void append_regex(const target& at, const node& value) {
  const auto [pattern, options] = pair_of(value, "$regularExpression", "pattern", "options");
  std::string flags = c_text_of(options, "$regularExpression");
  std::sort(flags.begin(), flags.end());  // BSON requires this order
  require(bson_append_regex(&at.to, at.name(), at.name_size(),
                            c_text_of(pattern, "$regularExpression").c_str(), flags.c_str()),
          value);
}

void append_db_pointer(const target& at, const node& value) {
  const auto [collection, id] = pair_of(value, "$dbPointer", "$ref", "$id");
  const auto hex = member(id, "$oid");
  const std::string digits = hex ? text_of(*hex, "$dbPointer") : std::string{};
  if (digits.size() != 24 || !bson_oid_is_valid(digits.data(), digits.size())) {
    refuse(id, "$dbPointer", "expected an $oid");
  }
  bson_oid_t oid;
  bson_oid_init_from_string(&oid, digits.c_str());
  require(bson_append_dbpointer(&at.to, at.name(), at.name_size(),
                                c_text_of(collection, "$dbPointer").c_str(), &oid),
          value);
}

void append_symbol(const target& at, const node& value) {
  const std::string text = text_of(value, "$symbol");
  require(bson_append_symbol(&at.to, at.name(), at.name_size(), text.data(),
                             static_cast<int>(text.size())),
          value);
}

void append_code(const target& at, const node& value) {
  require(
      bson_append_code(&at.to, at.name(), at.name_size(), c_text_of(value, "$code").c_str()),
      value);
}

void append_scoped_code(const target& at, const node& code, const node& scope) {
  if (!scope.is_map()) refuse(scope, "$scope", "expected a document");
  bson_t variables = BSON_INITIALIZER;
  bool appended = false;
  try {
    append_document(variables, scope);
    // With a null scope libbson would write plain code: always pass the scope.
    appended = bson_append_code_with_scope(&at.to, at.name(), at.name_size(),
                                           c_text_of(code, "$code").c_str(), &variables);
  } catch (const value_error&) {
    bson_destroy(&variables);
    throw;
  }
  bson_destroy(&variables);
  require(appended, code);
}

void append_min_key(const target& at, const node& value) {
  if (value.text() != "1") refuse(value, "$minKey", "expected 1");
  require(bson_append_minkey(&at.to, at.name(), at.name_size()), value);
}

void append_max_key(const target& at, const node& value) {
  if (value.text() != "1") refuse(value, "$maxKey", "expected 1");
  require(bson_append_maxkey(&at.to, at.name(), at.name_size()), value);
}

void append_undefined(const target& at, const node& value) {
  if (value.text() != "true") refuse(value, "$undefined", "expected true");
  require(bson_append_undefined(&at.to, at.name(), at.name_size()), value);
}

struct wrapper {
  std::string_view key;
  void (*append)(const target&, const node&);
};

constexpr std::array<wrapper, 17> wrappers = {{
    {"$oid", append_oid},
    {"$numberInt", append_int32},
    {"$numberLong", append_int64},
    {"$numberDouble", append_double},
    {"$numberDecimal", append_decimal},
    {"$binary", append_modern_binary},
    {"$uuid", append_uuid},
    {"$date", append_date},
    {"$timestamp", append_timestamp},
    {"$regularExpression", append_regex},
    {"$dbPointer", append_db_pointer},
    {"$symbol", append_symbol},
    {"$code", append_code},
    {"$minKey", append_min_key},
    {"$maxKey", append_max_key},
    {"$undefined", append_undefined},
    {"$scope", nullptr},  // only with $code
}};

// Appends one of the two wrappers with two keys; false if the map is neither.
bool append_pair(const target& at, const node& map) {
  if (const auto code = member(map, "$code")) {
    const auto scope = member(map, "$scope");
    if (!scope) return false;
    append_scoped_code(at, *code, *scope);
    return true;
  }
  const auto base64 = member(map, "$binary");
  const auto subtype = member(map, "$type");
  if (!base64 || !subtype) return false;
  append_binary(at, *base64, *subtype);
  return true;
}

}  // namespace

void require(bool appended, const node& at) {
  if (!appended) throw value_error{{at.line(), "a document that is too large"}};
}

bool append_wrapped(bson_t& to, std::string_view key, const node& map) {
  if (map.child_count() == 0) return false;
  auto at = map.begin();
  const node first = *at;
  if (first.text().substr(0, 1) != "$") return false;
  const target where{to, key};
  if (map.child_count() == 4 && append_pair(where, map)) return true;
  const auto known = std::find_if(wrappers.begin(), wrappers.end(),
                                  [&](const wrapper& one) { return one.key == first.text(); });
  if (known == wrappers.end()) return false;
  if (map.child_count() != 2 || known->append == nullptr) {
    refuse(map, first.text(), "no other keys are allowed next to it");
  }
  known->append(where, *++at);
  return true;
}

}  // namespace scattergate::config
