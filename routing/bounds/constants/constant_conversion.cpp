#include "routing/bounds/constants/constant_conversion.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "wire/endian.hpp"

namespace scattergate::routing {

using wire::bson_type;
using wire::element;

namespace {

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

}  // namespace

bool is_conversion(std::string_view operation) noexcept {
  constexpr std::array<std::string_view, 9> known{"$toObjectId", "$toDate", "$toString",
                                                  "$toInt",      "$toLong", "$toDouble",
                                                  "$abs",        "$ceil",   "$floor"};
  return std::ranges::find(known, operation) != known.end();
}

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

}  // namespace scattergate::routing
