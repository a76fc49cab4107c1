#include "config/text/extended_json.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <vector>

#include <bson/bson.h>

#include "config/text/problem_log.hpp"
#include "config/text/text_readers.hpp"
#include "config/text/text_tree.hpp"
#include "text/printable.hpp"

namespace scattergate::config {

namespace {

int base64_digit(char digit) {
  if (digit >= 'A' && digit <= 'Z') return digit - 'A';
  if (digit >= 'a' && digit <= 'z') return digit - 'a' + 26;
  if (digit >= '0' && digit <= '9') return digit - '0' + 52;
  if (digit == '+') return 62;
  if (digit == '/') return 63;
  return -1;
}

// Takes exactly `digits` decimal digits from the front.
std::optional<int> take_digits(std::string_view& text, std::size_t digits) {
  if (text.size() < digits || text.find_first_not_of("0123456789") < digits)
    return std::nullopt;
  int value = 0;
  std::from_chars(text.data(), text.data() + digits, value);
  text.remove_prefix(digits);
  return value;
}

bool take(std::string_view& text, char expected) {
  if (text.empty() || text.front() != expected) return false;
  text.remove_prefix(1);
  return true;
}

// Takes ".123456": its milliseconds, further digits dropped.
std::optional<int> take_fraction(std::string_view& text) {
  if (!take(text, '.')) return 0;
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits == 0) return std::nullopt;
  int millis = 0;
  for (std::size_t i = 0; i < 3; ++i) millis = millis * 10 + (i < digits ? text[i] - '0' : 0);
  text.remove_prefix(digits);
  return millis;
}

std::optional<std::chrono::minutes> take_zone(std::string_view& text) {
  if (take(text, 'Z')) return std::chrono::minutes{0};
  const bool west = !text.empty() && text.front() == '-';
  if (!west && (text.empty() || text.front() != '+')) return std::nullopt;
  text.remove_prefix(1);
  const auto hours = take_digits(text, 2);
  static_cast<void>(take(text, ':'));  // +0100 is as common as +01:00
  const auto minutes = take_digits(text, 2);
  if (!hours || !minutes || *hours > 23 || *minutes > 59) return std::nullopt;
  const std::chrono::minutes offset{*hours * 60 + *minutes};
  return west ? -offset : offset;
}

std::optional<std::chrono::sys_days> take_day(std::string_view& text) {
  const auto year = take_digits(text, 4);
  if (!year || !take(text, '-')) return std::nullopt;
  const auto month = take_digits(text, 2);
  if (!month || !take(text, '-')) return std::nullopt;
  const auto day = take_digits(text, 2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year{*year},
                                         std::chrono::month{static_cast<unsigned>(*month)},
                                         std::chrono::day{static_cast<unsigned>(*day)}};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days{date};
}

std::optional<std::chrono::seconds> take_clock(std::string_view& text) {
  const auto hours = take_digits(text, 2);
  if (!hours || !take(text, ':')) return std::nullopt;
  const auto minutes = take_digits(text, 2);
  if (!minutes || !take(text, ':')) return std::nullopt;
  const auto seconds = take_digits(text, 2);
  if (!seconds || *hours > 23 || *minutes > 59 || *seconds > 60) return std::nullopt;
  return std::chrono::seconds{(*hours * 60 + *minutes) * 60 + *seconds};
}

}  // namespace

std::optional<std::string> decode_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::size_t padding = 0;
  while (padding < 2 && !text.empty() && text.back() == '=') {
    text.remove_suffix(1);
    ++padding;
  }
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 3);
  std::uint32_t bits = 0;
  int held = 0;
  for (const char one : text) {
    const int digit = base64_digit(one);
    if (digit < 0) return std::nullopt;
    bits = (bits << 6) | static_cast<std::uint32_t>(digit);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes += static_cast<char>((bits >> held) & 0xff);
  }
  return bytes;
}

std::optional<std::string> decode_uuid(std::string_view text) {
  if (text.size() != 36) return std::nullopt;
  std::string bytes;
  for (std::size_t i = 0; i < text.size();) {
    if (i == 8 || i == 13 || i == 18 || i == 23) {
      if (text[i++] != '-') return std::nullopt;
      continue;
    }
    std::uint8_t byte = 0;
    const char* const begin = text.data() + i;
    if (std::from_chars(begin, begin + 2, byte, 16).ptr != begin + 2) return std::nullopt;
    bytes += static_cast<char>(byte);
    i += 2;
  }
  return bytes;
}

std::optional<std::int64_t> parse_time(std::string_view text) {
  const auto day = take_day(text);
  if (!day || !take(text, 'T')) return std::nullopt;
  const auto clock = take_clock(text);
  if (!clock) return std::nullopt;
  const auto millis = take_fraction(text);
  const auto zone = millis ? take_zone(text) : std::nullopt;
  if (!zone || !text.empty()) return std::nullopt;
  const auto moment = *day + *clock - *zone + std::chrono::milliseconds{*millis};
  return std::chrono::duration_cast<std::chrono::milliseconds>(moment.time_since_epoch())
      .count();
}

namespace {

using node = text_tree::node;

/// A value that isn't valid Extended JSON. Thrown and caught only within bson_of().
struct value_error : parse_problem {};

/// Throws value_error, with the line of `at`, if `appended` is false. `appended`: what a
/// libbson append returned; false means that the document would exceed 2 GiB.
void require(bool appended, const node& at) {
  if (!appended) throw value_error{{at.line(), "a document that is too large"}};
}

/// Appends the entries of a map that isn't a type wrapper.
void append_entries(bson_t& to, const node& map);

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
    append_entries(variables, scope);
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

/// Appends the value of the type wrapper `map`, with this key. Returns false and appends
/// nothing if `map` is an ordinary document. Throws value_error if the wrapper is malformed.
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

void append_value(bson_t& to, std::string_view key, const node& value);

int key_size(std::string_view key) {
  return static_cast<int>(key.size());
}

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

// JSON's grammar: -? (0 | [1-9][0-9]*) fraction? exponent?
bool is_json_number(std::string_view text) {
  if (!text.empty() && text.front() == '-') text.remove_prefix(1);
  const std::size_t exponent = text.find_first_of("eE");
  if (exponent != text.npos) {
    std::string_view digits = text.substr(exponent + 1);
    if (!digits.empty() && (digits.front() == '+' || digits.front() == '-')) {
      digits.remove_prefix(1);
    }
    if (!is_digits(digits)) return false;
    text = text.substr(0, exponent);
  }
  const std::size_t point = text.find('.');
  if (point != text.npos) {
    if (!is_digits(text.substr(point + 1))) return false;
    text = text.substr(0, point);
  }
  return is_digits(text) && (text.size() == 1 || text.front() != '0');
}

// Whether YAML's core schema reads the text as a number although JSON doesn't.
bool is_yaml_number_only(std::string_view text) {
  if (text == ".inf" || text == "-.inf" || text == "+.inf" || text == ".nan") return true;
  const std::string_view prefix = text.substr(0, 2);
  if (prefix == "0x" || prefix == "0o") {
    return text.find_first_not_of("0123456789abcdefABCDEF", 2) == text.npos && text.size() > 2;
  }
  if (text.find_first_not_of("0123456789+-.eE") != text.npos) return false;
  if (!text.empty() && (text.front() == '+' || text.front() == '-')) text.remove_prefix(1);
  double ignored = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ignored);
  return error != std::errc::invalid_argument && end == text.data() + text.size();
}

void append_number(bson_t& to, std::string_view key, const node& value) {
  const std::string_view text = value.text();
  const char* const end = text.data() + text.size();
  if (text.find_first_of(".eE") == text.npos) {
    std::int64_t whole = 0;
    if (std::from_chars(text.data(), end, whole).ec == std::errc{}) {
      if (whole >= std::numeric_limits<std::int32_t>::min() &&
          whole <= std::numeric_limits<std::int32_t>::max()) {
        require(
            bson_append_int32(&to, key.data(), key_size(key), static_cast<std::int32_t>(whole)),
            value);
      } else {
        require(bson_append_int64(&to, key.data(), key_size(key), whole), value);
      }
      return;
    }
  }
  double number = 0;
  if (std::from_chars(text.data(), end, number).ec != std::errc{}) {
    throw value_error{
        {value.line(), "the number " + text::in_quotes(text) + " is out of range"}};
  }
  require(bson_append_double(&to, key.data(), key_size(key), number), value);
}

void append_scalar(bson_t& to, std::string_view key, const node& value) {
  const std::string_view text = value.text();
  const int size = key_size(key);
  if (value.is_plain()) {
    if (value.is_null()) return require(bson_append_null(&to, key.data(), size), value);
    if (text == "true" || text == "True" || text == "TRUE") {
      return require(bson_append_bool(&to, key.data(), size, true), value);
    }
    if (text == "false" || text == "False" || text == "FALSE") {
      return require(bson_append_bool(&to, key.data(), size, false), value);
    }
    if (is_json_number(text)) return append_number(to, key, value);
    if (is_yaml_number_only(text)) {
      throw value_error{
          {value.line(),
           text::in_quotes(text) +
               " is a number in YAML but not in JSON: quote it or use JSON's syntax"}};
    }
  }
  if (text.size() > std::numeric_limits<int>::max()) {
    throw value_error{{value.line(), "a string that is too long"}};
  }
  require(bson_append_utf8(&to, key.data(), size, text.data(), static_cast<int>(text.size())),
          value);
}

void append_members(bson_t& to, const node& list) {
  std::uint32_t position = 0;
  for (const node member : list) append_value(to, std::to_string(position++), member);
}

void append_entries(bson_t& to, const node& map) {
  for (auto at = map.begin(); at != map.end(); ++at) {
    const node key = *at;
    if (!key.is_scalar()) throw value_error{{key.line(), "a key that isn't a string"}};
    if (key.text().find('\0') != std::string_view::npos) {
      throw value_error{{key.line(), "a key contains a NUL byte"}};
    }
    append_value(to, key.text(), *++at);
  }
}

void append_value(bson_t& to, std::string_view key, const node& value) {
  if (value.is_scalar()) return append_scalar(to, key, value);
  if (value.is_map() && append_wrapped(to, key, value)) return;
  bson_t child;
  if (value.is_list()) {
    require(bson_append_array_begin(&to, key.data(), key_size(key), &child), value);
    append_members(child, value);
    require(bson_append_array_end(&to, &child), value);
  } else {
    require(bson_append_document_begin(&to, key.data(), key_size(key), &child), value);
    append_entries(child, value);
    require(bson_append_document_end(&to, &child), value);
  }
}

/// Owns a bson_t.
struct owned_bson {
  bson_t value = BSON_INITIALIZER;
  owned_bson() = default;
  ~owned_bson() { bson_destroy(&value); }
  owned_bson(const owned_bson&) = delete;
  owned_bson& operator=(const owned_bson&) = delete;
};

}  // namespace

wire::document_view bson_bytes::view() const {
  const auto document = wire::document_view::from(bytes);
  if (!document) throw std::logic_error("bson_bytes without a document");
  return *document;
}

parse_result<bson_bytes> bson_of(const node& value) {
  if (value.is_scalar()) return parse_problem{value.line(), "not a document"};
  owned_bson made;
  try {
    if (value.is_list()) {
      append_members(made.value, value);
    } else {
      append_entries(made.value, value);
    }
  } catch (const value_error& bad) {
    return parse_problem{bad};
  }
  if (made.value.len > wire::limits::max_document_bytes) {
    return parse_problem{value.line(), "larger than 16 MiB, the limit for a document"};
  }
  const auto* const begin = reinterpret_cast<const std::byte*>(bson_get_data(&made.value));
  return bson_bytes{{begin, begin + made.value.len}};
}

parse_result<bson_bytes> bson_of_json(std::string_view json) {
  const auto parsed = parse_json(json);
  if (!parsed) return parsed.error();
  return bson_of(parsed->root());
}

}  // namespace scattergate::config
