#include "routing/bounds/constants/constant_folding.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include "routing/bounds/filter_parts.hpp"
#include "routing/keys/key_encoding.hpp"
#include "wire/endian.hpp"

namespace scattergate::routing {

/// Evaluates aggregation expressions on constants (mongo: db/pipeline/expression.cpp).

namespace {

using wire::bson_type;
using wire::element;

int hex_digit(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

folded to_object_id(const element& value, scratch& memory) noexcept {
  if (value.type() == bson_type::object_id) return folded::constant(value);
  constexpr std::size_t size = 12;
  const std::string_view digits = value.is_string() ? value.as_string() : std::string_view{};
  if (digits.size() != 2 * size) return unknown_constant;
  std::array<std::byte, size> bytes{};
  for (std::size_t i = 0; i < size; ++i) {
    const int high = hex_digit(digits[2 * i]);
    const int low = hex_digit(digits[2 * i + 1]);
    if (high < 0 || low < 0) return unknown_constant;
    bytes[i] = static_cast<std::byte>(high * 16 + low);
  }
  return constant_of_bytes(bson_type::object_id, std::span<const std::byte>{bytes}, memory);
}

/// Removes `digits` digits from the beginning of `from`, and returns their value; -1 if there
/// are fewer.
int read_digits(std::string_view& from, std::size_t digits) noexcept {
  int value = 0;
  const char* const end = from.data() + std::min(digits, from.size());
  const auto [rest, error] = std::from_chars(from.data(), end, value);
  if (error != std::errc{} || rest != from.data() + digits || value < 0) return -1;
  from.remove_prefix(digits);
  return value;
}

bool take(std::string_view& from, char expected) noexcept {
  if (!from.starts_with(expected)) return false;
  from.remove_prefix(1);
  return true;
}

int days_of(int year, int month) noexcept {
  constexpr std::array days{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return days[static_cast<std::size_t>(month - 1)] + (month == 2 && is_leap ? 1 : 0);
}

/// The number of days from 1970-01-01 to a date in the Gregorian calendar.
std::int64_t days_to(int year, int month, int day) noexcept {
  const std::int64_t y = month <= 2 ? year - 1 : year;
  const std::int64_t era = y / 400;
  const std::int64_t of_era = y - era * 400;
  const std::int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/// Parses "2026-01-31", "2026-01-31T23:59:59.123Z" and forms in between, and returns
/// milliseconds since 1970. std::nullopt for any other form, because it isn't certain how
/// mongos reads it.
std::optional<std::int64_t> milliseconds_of(std::string_view iso) noexcept {
  const int year = read_digits(iso, 4);
  if (year < 1 || !take(iso, '-')) return std::nullopt;
  const int month = read_digits(iso, 2);
  if (month < 1 || month > 12 || !take(iso, '-')) return std::nullopt;
  const int day = read_digits(iso, 2);
  if (day < 1 || day > days_of(year, month)) return std::nullopt;
  std::int64_t at = days_to(year, month, day) * 86400000;
  if (iso.empty()) return at;
  if (!take(iso, 'T')) return std::nullopt;
  const int hour = read_digits(iso, 2);
  if (hour < 0 || hour > 23 || !take(iso, ':')) return std::nullopt;
  const int minute = read_digits(iso, 2);
  if (minute < 0 || minute > 59 || !take(iso, ':')) return std::nullopt;
  const int second = read_digits(iso, 2);
  if (second < 0 || second > 59) return std::nullopt;
  at += ((hour * 60 + minute) * 60 + second) * std::int64_t{1000};
  if (take(iso, '.')) {
    const int part = read_digits(iso, 3);
    if (part < 0) return std::nullopt;
    at += part;
  }
  take(iso, 'Z');
  return iso.empty() ? std::optional{at} : std::nullopt;
}

folded to_date(const element& value, scratch& memory) noexcept {
  switch (value.type()) {
    case bson_type::date:
      return folded::constant(value);
    case bson_type::int64:
      return constant_date(*value.as_int64(), memory);
    case bson_type::float64: {
      const double at = number_of(value).real;
      const bool fits = std::isfinite(at) && std::abs(at) < 9e18;
      return fits ? constant_date(static_cast<std::int64_t>(at), memory) : unknown_constant;
    }
    case bson_type::object_id: {
      const auto seconds = wire::load_little<std::uint32_t>(value.value().data());
      return constant_date(std::int64_t{__builtin_bswap32(seconds)} * 1000, memory);
    }
    case bson_type::string: {
      const auto at = milliseconds_of(value.as_string());
      return at ? constant_date(*at, memory) : unknown_constant;
    }
    default:
      return unknown_constant;
  }
}

folded to_text(const element& value, scratch& memory) noexcept {
  std::array<char, 24> room;
  switch (value.type()) {
    case bson_type::string:
      return folded::constant(value);
    case bson_type::boolean: {
      const std::string_view said = value.is_truthy() ? "true" : "false";
      return constant_text(std::array{said}, memory);
    }
    case bson_type::int32:
    case bson_type::int64: {
      const auto end = std::to_chars(room.begin(), room.end(), *value.as_int64()).ptr;
      return constant_text(std::array{std::string_view{room.data(), end}}, memory);
    }
    case bson_type::object_id:
      for (std::size_t i = 0; i < value.value().size(); ++i) {
        constexpr std::string_view digits = "0123456789abcdef";
        const auto byte = std::to_integer<unsigned>(value.value()[i]);
        room[2 * i] = digits[byte >> 4];
        room[2 * i + 1] = digits[byte & 15];
      }
      return constant_text(std::array{std::string_view{room.data(), room.size()}}, memory);
    default:
      return unknown_constant;
  }
}

/// The result of a $toInt, $toLong or $toDouble.
folded to_number(std::string_view operation, const element& value, scratch& memory) noexcept {
  if (value.type() == bson_type::boolean)
    return constant_integer(value.is_truthy() ? 1 : 0, memory);
  if (value.is_string()) {
    const std::string_view digits = value.as_string();
    std::int64_t whole = 0;
    const char* const end = digits.data() + digits.size();
    const auto [rest, error] = std::from_chars(digits.data(), end, whole);
    return error == std::errc{} && rest == end ? constant_integer(whole, memory)
                                               : unknown_constant;
  }
  const plain_number known = number_of(value);
  if (!known.is_known) return unknown_constant;
  if (operation == "$toDouble") return constant_real(known.real, memory);
  constexpr double most = 2147483647.0;
  if (operation == "$toInt" && !(std::abs(known.real) <= most)) return unknown_constant;
  if (known.is_whole) return constant_integer(known.whole, memory);
  if (!(std::abs(known.real) < 9e18)) return unknown_constant;
  return constant_integer(static_cast<std::int64_t>(known.real), memory);
}

/// Whether converted() supports the operator `operation`: $toObjectId, $toDate, $toString,
/// $toInt, $toLong, $toDouble, $abs, $ceil, $floor.
bool is_conversion(std::string_view operation) noexcept {
  constexpr std::array<std::string_view, 9> known{"$toObjectId", "$toDate", "$toString",
                                                  "$toInt",      "$toLong", "$toDouble",
                                                  "$abs",        "$ceil",   "$floor"};
  return std::ranges::find(known, operation) != known.end();
}

/// The result of a conversion operator on a constant; `unknown` if mongos would reject the
/// conversion, or this code doesn't support it. REQUIRES: is_conversion(operation), and the
/// value isn't null.
folded converted(std::string_view operation, const element& value, scratch& memory) noexcept {
  if (operation == "$toObjectId") return to_object_id(value, memory);
  if (operation == "$toDate") return to_date(value, memory);
  if (operation == "$toString") return to_text(value, memory);
  if (operation == "$toInt" || operation == "$toLong" || operation == "$toDouble") {
    return to_number(operation, value, memory);
  }
  const plain_number known =
      value.type() == bson_type::date ? plain_number{} : number_of(value);
  if (!known.is_known) return unknown_constant;
  if (operation == "$abs") {
    if (!known.is_whole) return constant_real(std::abs(known.real), memory);
    if (known.whole == std::numeric_limits<std::int64_t>::min()) return unknown_constant;
    return constant_integer(std::abs(known.whole), memory);
  }
  if (operation != "$ceil" && operation != "$floor") return unknown_constant;
  if (known.is_whole) return folded::constant(value);
  return constant_real(operation == "$ceil" ? std::ceil(known.real) : std::floor(known.real),
                       memory);
}

/// The operators that calculated() evaluates.
enum class arithmetic { add, subtract, multiply };

/// The result of an $add, $subtract or $multiply of constants; `unknown` if it isn't certain. A
/// date plus a number is a date, or `some_date` if only the server knows the date ($$NOW). The
/// difference of two dates is a number.
[[nodiscard]] folded calculated(arithmetic how, std::span<const folded> operands,
                                scratch& memory) noexcept;

using values = std::span<const folded>;

bool overflows(arithmetic how, std::int64_t left, std::int64_t right,
               std::int64_t& to) noexcept {
  switch (how) {
    case arithmetic::add:
      return __builtin_add_overflow(left, right, &to);
    case arithmetic::subtract:
      return __builtin_sub_overflow(left, right, &to);
    default:
      return __builtin_mul_overflow(left, right, &to);
  }
}

double computed(arithmetic how, double left, double right) noexcept {
  switch (how) {
    case arithmetic::add:
      return left + right;
    case arithmetic::subtract:
      return left - right;
    default:
      return left * right;
  }
}

bool is_date(const folded& one) noexcept {
  return one.is == folded::kind::some_date ||
         (one.is_constant() && one.value.type() == bson_type::date);
}

folded calculated(arithmetic how, values operands, scratch& memory) noexcept {
  plain_number result{true, true, how == arithmetic::multiply ? 1 : 0,
                      how == arithmetic::multiply ? 1.0 : 0.0};
  int dates = 0;
  bool is_first = true;
  bool is_some_date = false;
  for (const folded& one : operands) {
    if (one.is == folded::kind::some_date) {
      is_some_date = true;
      ++dates;
      is_first = false;
      continue;
    }
    if (is_nullish(one)) return constant_null();
    const plain_number next = number_of(one.value);
    if (!next.is_known) return unknown_constant;
    dates += one.value.type() == bson_type::date ? 1 : 0;
    if (is_first && how == arithmetic::subtract) {
      result = next;
    } else {
      result.real = computed(how, result.real, next.real);
      result.is_whole = result.is_whole && next.is_whole;
      if (result.is_whole && overflows(how, result.whole, next.whole, result.whole)) {
        return unknown_constant;
      }
    }
    is_first = false;
  }
  if (dates > 0 && how == arithmetic::multiply) return unknown_constant;
  const bool is_distance = dates == 2 && how == arithmetic::subtract;
  const bool is_moved = dates == 1 && (how == arithmetic::add || is_date(operands.front()));
  if (dates > 0 && !is_distance && !is_moved) return unknown_constant;
  if (is_some_date) return is_moved ? folded{folded::kind::some_date, {}} : unknown_constant;
  // Versions of MongoDB round sums of more than two doubles differently.
  if (!result.is_whole && operands.size() > 2) return unknown_constant;
  if (is_moved) return result.is_whole ? constant_date(result.whole, memory) : unknown_constant;
  return result.is_whole ? constant_integer(result.whole, memory)
                         : constant_real(result.real, memory);
}

/// The result of a $divide of constants; `unknown` if it isn't certain.
folded divided(values operands, scratch& memory) noexcept {
  if (operands.size() != 2) return unknown_constant;
  if (is_nullish(operands[0]) || is_nullish(operands[1])) return constant_null();
  const plain_number left = number_of(operands[0].value);
  const plain_number right = number_of(operands[1].value);
  const bool has_date = operands[0].value.type() == bson_type::date ||
                        operands[1].value.type() == bson_type::date;
  if (!left.is_known || !right.is_known || has_date || right.real == 0.0)
    return unknown_constant;
  return constant_real(left.real / right.real, memory);
}

/// The result of a $mod of constants; `unknown` if it isn't certain.
folded remainder_of(values operands, scratch& memory) noexcept {
  if (operands.size() != 2) return unknown_constant;
  if (is_nullish(operands[0]) || is_nullish(operands[1])) return constant_null();
  const plain_number left = number_of(operands[0].value);
  const plain_number right = number_of(operands[1].value);
  if (!left.is_known || !right.is_known || right.real == 0.0) return unknown_constant;
  if (!left.is_whole || !right.is_whole)
    return constant_real(std::fmod(left.real, right.real), memory);
  return constant_integer(right.whole == -1 ? 0 : left.whole % right.whole, memory);
}

/// The result of an operator of aggregation expressions, such as "$add", on constants:
/// arithmetic, strings, conversions, comparisons, logic (mongo: db/pipeline/expression.cpp).
/// `unknown` if the operator isn't supported, or the result isn't certain (an overflow, a
/// decimal, an error). REQUIRES: no operand is `unknown` or `varying`.
[[nodiscard]] folded apply(std::string_view operation, std::span<const folded> operands,
                           scratch& memory) noexcept;

/// A document or array of constants. A missing value is omitted from a document, and becomes
/// null in an array. `names`: for each value, an element whose name is the field's name, or the
/// index in the array.
[[nodiscard]] folded composed(std::span<const wire::element> names,
                              std::span<const folded> values, bool is_array,
                              scratch& memory) noexcept;

folded concatenated(values operands, scratch& memory) noexcept {
  const auto parts = memory.allocate<std::string_view>(operands.size());
  if (parts.size() != operands.size()) return unknown_constant;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (is_nullish(operands[i])) return constant_null();
    if (!operands[i].value.is_string()) return unknown_constant;
    parts[i] = operands[i].value.as_string();
  }
  return constant_text(parts, memory);
}

/// The result of a $toLower or $toUpper, which change ASCII letters only.
folded with_case(bool upper, const folded& operand, scratch& memory) noexcept {
  if (is_nullish(operand)) return constant_text({}, memory);
  if (!operand.value.is_string()) return unknown_constant;
  const std::string_view from = operand.value.as_string();
  const auto room = memory.allocate<char>(from.size());
  if (room.size() != from.size()) return unknown_constant;
  std::ranges::transform(from, room.begin(), [upper](char c) {
    if (upper && c >= 'a' && c <= 'z') return static_cast<char>(c - 'a' + 'A');
    if (!upper && c >= 'A' && c <= 'Z') return static_cast<char>(c - 'A' + 'a');
    return c;
  });
  return constant_text(std::array{std::string_view{room.data(), room.size()}}, memory);
}

/// Whether a constant is true as a condition: everything is, except false, zero, null and
/// missing.
bool is_true(const folded& one) noexcept {
  if (is_nullish(one)) return false;
  if (one.value.is_number() || one.value.type() == bson_type::boolean) {
    return one.value.is_truthy();
  }
  return true;
}

folded compared(std::string_view operation, values operands, scratch& memory) noexcept {
  if (operands.size() != 2) return unknown_constant;
  for (const folded& one : operands) {
    if (!one.is_constant()) return unknown_constant;
  }
  const bytes_view left = encode(operands[0].value, memory);
  const bytes_view right = encode(operands[1].value, memory);
  if (left.empty() || right.empty()) return unknown_constant;
  const int order = compare_encoded(left, right);
  if (operation == "$eq") return constant_boolean(order == 0, memory);
  if (operation == "$ne") return constant_boolean(order != 0, memory);
  if (operation == "$gt") return constant_boolean(order > 0, memory);
  if (operation == "$gte") return constant_boolean(order >= 0, memory);
  if (operation == "$lt") return constant_boolean(order < 0, memory);
  return constant_boolean(order <= 0, memory);
}

folded decided(std::string_view operation, values operands, scratch& memory) noexcept {
  if (operation == "$and")
    return constant_boolean(std::ranges::all_of(operands, is_true), memory);
  if (operation == "$or")
    return constant_boolean(std::ranges::any_of(operands, is_true), memory);
  if (operation == "$not") {
    return operands.size() == 1 ? constant_boolean(!is_true(operands[0]), memory)
                                : unknown_constant;
  }
  if (operation == "$cond") {
    return operands.size() == 3 ? operands[is_true(operands[0]) ? 1 : 2] : unknown_constant;
  }
  const auto first = std::ranges::find_if_not(operands, is_nullish);  // $ifNull
  return operands.empty()          ? unknown_constant
         : first == operands.end() ? operands.back()
                                   : *first;
}

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) noexcept {
  return std::ranges::find(names, name) != names.end();
}

folded apply(std::string_view operation, values operands, scratch& memory) noexcept {
  if (operation == "$add") return calculated(arithmetic::add, operands, memory);
  if (operation == "$subtract" && operands.size() == 2) {
    return calculated(arithmetic::subtract, operands, memory);
  }
  if (std::ranges::find(operands, folded::kind::some_date, &folded::is) != operands.end()) {
    return unknown_constant;
  }
  if (operation == "$multiply") return calculated(arithmetic::multiply, operands, memory);
  if (operation == "$divide") return divided(operands, memory);
  if (operation == "$mod") return remainder_of(operands, memory);
  if (operation == "$concat") return concatenated(operands, memory);
  if (is_one_of(operation, {"$eq", "$ne", "$gt", "$gte", "$lt", "$lte"})) {
    return compared(operation, operands, memory);
  }
  if (is_one_of(operation, {"$and", "$or", "$not", "$cond", "$ifNull"})) {
    return decided(operation, operands, memory);
  }
  if (operands.size() != 1) return unknown_constant;
  if (operation == "$toLower" || operation == "$toUpper") {
    return with_case(operation == "$toUpper", operands[0], memory);
  }
  if (is_conversion(operation)) {
    return is_nullish(operands[0]) ? constant_null()
                                   : converted(operation, operands[0].value, memory);
  }
  return unknown_constant;
}

folded composed(std::span<const element> names, values members, bool is_array,
                scratch& memory) noexcept {
  std::size_t size = sizeof(std::uint32_t) + 1;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (members[i].is == folded::kind::some_date) return unknown_constant;
    size += 2 + names[i].key().size() + members[i].value.value().size();
  }
  memory.work().charge(size / 4);
  const auto room = memory.allocate<std::byte>(size);
  if (room.empty()) return unknown_constant;
  auto to = room.begin() + sizeof(std::uint32_t);
  for (std::size_t i = 0; i < members.size(); ++i) {
    const bool is_missing = members[i].is == folded::kind::missing;
    if (is_missing && !is_array) continue;
    *to++ = static_cast<std::byte>(is_missing ? bson_type::null : members[i].value.type());
    to = std::ranges::copy(std::as_bytes(std::span{names[i].key()}), to).out;
    *to++ = std::byte{0};
    if (!is_missing) to = std::ranges::copy(members[i].value.value(), to).out;
  }
  *to++ = std::byte{0};
  const auto used = static_cast<std::size_t>(to - room.begin());
  wire::store_little(room.data(), static_cast<std::uint32_t>(used));
  const auto type = is_array ? bson_type::array : bson_type::document;
  return folded::constant(element{"", type, room.first(used)});
}

using wire::document_view;

/// The cost of an expression in addition to reading it, in units of wire::work_budget.
constexpr std::size_t expression_units = 20;

/// The maximum number of variables of nested $lets. An expression with more isn't evaluated.
constexpr std::size_t most_variables = 32;

/// The maximum size of a variable's value that is a document or array, in bytes, because it is
/// read again for each reference. Larger ones aren't evaluated.
constexpr std::size_t most_variable_bytes = 512;

/// The first versions that evaluate $$NOW before targeting, and that replace the variables of a
/// $let by their values.
constexpr server_version knows_now{5, 1};  // a real 5.0 asks all shards
constexpr server_version inlines_let{8, 1};

/// Whether an operator computes a date from a date and other constants.
bool is_date_function(std::string_view name) noexcept {
  return name == "$dateAdd" || name == "$dateSubtract" || name == "$dateTrunc";
}

/// Whether a value is a date, or has a type that date operators accept as one.
bool acts_as_date(const folded& one) noexcept {
  const bson_type type = one.value.type();
  return one.is == folded::kind::some_date ||
         (one.is_constant() && (type == bson_type::date || type == bson_type::timestamp ||
                                type == bson_type::object_id));
}

}  // namespace

folded constant_folding::fold(const element& expression) noexcept {
  if (expression.is_string() && expression.as_string().starts_with('$')) {
    const std::string_view text = expression.as_string();
    return text.starts_with("$$") ? variable(text.substr(2)) : folded{};
  }
  if (!expression.as_container()) return folded::constant(expression);
  memory_.work().charge(expression_units);
  if (memory_.work().is_low() || !depth_.enter()) return {};
  const folded found = expression.is_array() ? members(*expression.as_array(), true)
                                             : of_document(*expression.as_document());
  depth_.leave();
  return found;
}

folded constant_folding::of_document(document_view document) noexcept {
  wire::document_reader reader{document};
  element only;
  if (!reader.next(only)) return members(document, false);
  if (!only.key().starts_with('$')) return members(document, false);
  if (element second; reader.next(second) || reader.is_corrupt()) return {};
  if (only.key() == "$literal" || only.key() == "$const") return folded::constant(only);
  if (only.key() == "$let") {
    folded found;
    (void)within_let(only, [&](const element& in) { found = fold(in); });
    return found;
  }
  if (is_date_function(only.key())) return of_date(only);
  return of_call(only);
}

folded constant_folding::of_call(const element& call) noexcept {
  const auto list = call.as_array();
  if (!list) {
    const folded operand = fold(call);
    const bool is_known =
        operand.is != folded::kind::unknown && operand.is != folded::kind::varying;
    return is_known ? apply(call.key(), {&operand, 1}, memory_) : folded{};
  }
  std::span<folded> values;
  std::span<element> names;
  if (!fold_all(*list, values, names)) return {};
  return apply(call.key(), values, memory_);
}

/// Evaluates a document or array whose members are expressions.
folded constant_folding::members(document_view from, bool is_array) noexcept {
  std::span<folded> values;
  std::span<element> names;
  if (!fold_all(from, values, names)) return {};
  return composed(names, values, is_array, memory_);
}

/// Evaluates all members; false if one isn't constant.
bool constant_folding::fold_all(document_view from, std::span<folded>& values,
                                std::span<element>& names) noexcept {
  wire::work_budget& work = memory_.work();
  const auto count = wire::count_fields(from, work);
  if (!count) return false;
  values = memory_.allocate<folded>(*count);
  names = memory_.allocate<element>(*count);
  if (values.size() != *count || names.size() != *count) return false;
  wire::metered_reader reader{from, work};
  std::size_t i = 0;
  for (; i < *count && reader.next(names[i]); ++i) {
    values[i] = fold(names[i]);
    if (values[i].is == folded::kind::unknown || values[i].is == folded::kind::varying) {
      return false;
    }
  }
  return i == *count;
}

/// Evaluates a date operator. The result is a date of unknown value, because it depends on
/// calendars and time zones.
folded constant_folding::of_date(const element& call) noexcept {
  const auto arguments = call.as_document();
  std::span<folded> values;
  std::span<element> names;
  if (!arguments || !fold_all(*arguments, values, names)) return {};
  bool has_date = false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool is_null = values[i].is != folded::kind::some_date && is_nullish(values[i]);
    if (is_null) return {};  // the result is null, not a date
    const bool is_the_date = names[i].key() == "startDate" || names[i].key() == "date";
    has_date |= is_the_date && acts_as_date(values[i]);
  }
  return has_date ? folded{folded::kind::some_date, {}} : folded{};
}

/// Evaluates the variables of a $let into `inner`, and returns its `in`. std::nullopt if a
/// variable isn't constant.
std::optional<element> constant_folding::enter_let(const element& call, scope& inner) noexcept {
  const auto arguments = call.as_document();
  if (call.key() != "$let" || !arguments || version_ < inlines_let) return std::nullopt;
  const auto vars = wire::find_field(*arguments, "vars", memory_.work());
  const auto in = wire::find_field(*arguments, "in", memory_.work());
  const auto bound = vars ? vars->as_document() : std::nullopt;
  if (!bound || !in) return std::nullopt;
  if (!fold_all(*bound, inner.values, inner.names)) return std::nullopt;
  inner.outer = scope_;
  inner.count = inner.names.size() + (scope_ != nullptr ? scope_->count : 0);
  return inner.count > most_variables ? std::nullopt : in;
}

folded constant_folding::variable(std::string_view name) noexcept {
  const std::size_t dot = name.find('.');
  const std::string_view first = name.substr(0, dot);
  folded found = named(first);
  if (dot == std::string_view::npos || !found.is_constant()) {
    const bool is_unknowable = found.is == folded::kind::some_date && dot != name.npos;
    return is_unknowable ? folded{} : found;
  }
  const auto inner = found.value.as_document();
  if (found.value.is_array() || found.value.value().size() > most_variable_bytes) return {};
  const auto value =
      inner ? find_path(*inner, name.substr(dot + 1), memory_.work()) : std::nullopt;
  if (value && value->is_array()) return {};
  return value ? folded::constant(*value) : folded{folded::kind::missing, {}};
}

folded constant_folding::named(std::string_view name) noexcept {
  wire::work_budget& work = memory_.work();
  for (const scope* each = scope_; each != nullptr; each = each->outer) {
    for (std::size_t i = 0; i < each->names.size(); ++i) {
      work.charge(1);
      if (each->names[i].key() == name) return each->values[i];
    }
  }
  if (name == "REMOVE") return {folded::kind::missing, {}};
  if (name == "NOW" && version_ >= knows_now) return {folded::kind::some_date, {}};
  const auto bound_to = let_ != nullptr ? let_->find(name, work) : std::nullopt;
  if (!bound_to) return {};
  if (!let_->are_constant()) return {folded::kind::varying, {}};
  const bool is_large = bound_to->value().size() > most_variable_bytes;
  if (is_large && bound_to->as_container()) return {};
  // The command's `let` defines a variable by an expression that can't use other variables of
  // it.
  constant_folding outside{nullptr, version_, memory_};
  outside.depth_ = depth_;
  return outside.fold(*bound_to);
}

namespace {

folded constant_word(bson_type type, std::uint64_t value, scratch& memory) noexcept {
  std::array<std::byte, sizeof value> bytes;
  wire::store_little(bytes.data(), value);
  return constant_of_bytes(type, bytes, memory);
}

std::int64_t as_date(const element& value) noexcept {
  return static_cast<std::int64_t>(wire::load_little<std::uint64_t>(value.value().data()));
}

}  // namespace

/// Copies the bytes to the scratch memory.
folded constant_of_bytes(bson_type type, std::span<const std::byte> bytes,
                         scratch& memory) noexcept {
  const auto room = memory.allocate<std::byte>(bytes.size());
  if (room.size() != bytes.size()) return unknown_constant;
  std::ranges::copy(bytes, room.begin());
  return folded::constant(element{"", type, room});
}

folded constant_integer(std::int64_t value, scratch& memory) noexcept {
  return constant_word(bson_type::int64, static_cast<std::uint64_t>(value), memory);
}
folded constant_real(double value, scratch& memory) noexcept {
  return constant_word(bson_type::float64, std::bit_cast<std::uint64_t>(value), memory);
}
folded constant_date(std::int64_t value, scratch& memory) noexcept {
  return constant_word(bson_type::date, static_cast<std::uint64_t>(value), memory);
}
folded constant_boolean(bool value, scratch& memory) noexcept {
  const std::array bytes{std::byte{value}};
  return constant_of_bytes(bson_type::boolean, bytes, memory);
}
folded constant_null() noexcept {
  return folded::constant(element{"", bson_type::null, {}});
}

folded constant_text(std::span<const std::string_view> parts, scratch& memory) noexcept {
  std::size_t size = 0;
  for (const std::string_view part : parts) size += part.size();
  const auto room = memory.allocate<std::byte>(sizeof(std::uint32_t) + size + 1);
  if (room.empty()) return unknown_constant;
  wire::store_little(room.data(), static_cast<std::uint32_t>(size + 1));
  auto to = room.begin() + sizeof(std::uint32_t);
  for (const std::string_view part : parts) {
    to = std::ranges::copy(std::as_bytes(std::span{part}), to).out;
  }
  *to = std::byte{0};
  return folded::constant(element{"", bson_type::string, room});
}

bool is_nullish(const folded& one) noexcept {
  return one.is == folded::kind::missing || one.value.type() == bson_type::null ||
         one.value.type() == bson_type::undefined;
}

plain_number number_of(const element& value) noexcept {
  switch (value.type()) {
    case bson_type::int32:
    case bson_type::int64: {
      const std::int64_t whole = value.as_int64().value_or(0);
      return {true, true, whole, static_cast<double>(whole)};
    }
    case bson_type::float64:
      return {true, false, 0,
              std::bit_cast<double>(wire::load_little<std::uint64_t>(value.value().data()))};
    case bson_type::date: {
      const std::int64_t whole = as_date(value);
      return {true, true, whole, static_cast<double>(whole)};
    }
    default:
      return {};
  }
}

}  // namespace scattergate::routing
