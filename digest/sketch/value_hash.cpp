#include "digest/sketch/value_hash.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "routing/keys/key_encoding.hpp"
#include "wire/endian.hpp"

namespace scattergate::digest {
namespace {

using routing::canonical_type;
using wire::bson_type;

/// What stands before a value's bytes, so that two types with the same bytes differ.
enum class kind : std::uint8_t { whole_number = 64, fraction = 65, decimal = 66 };

std::uint64_t hash_number(kind of, std::uint64_t number, const salt& by) noexcept {
  std::array<std::byte, sizeof number> bytes{};
  wire::store_little(bytes.data(), number);
  return by.hash(static_cast<std::uint64_t>(of), bytes);
}

std::uint64_t hash_double(double number, const salt& by) noexcept {
  constexpr double limit = 9223372036854775808.0;  // 2^63
  if (number >= -limit && number < limit && number == std::trunc(number)) {
    const auto whole = static_cast<std::int64_t>(number);  // -0 becomes 0
    return hash_number(kind::whole_number, static_cast<std::uint64_t>(whole), by);
  }
  if (std::isnan(number)) number = std::numeric_limits<double>::quiet_NaN();
  return hash_number(kind::fraction, std::bit_cast<std::uint64_t>(number), by);
}

std::uint64_t hash_bytes(std::uint8_t type, std::span<const std::byte> value,
                         const salt& by) noexcept {
  constexpr std::size_t half = 512;
  const std::uint64_t first = type | value.size() << 8U;
  if (value.size() <= 2 * half) return by.hash(first, value);
  const std::uint64_t begin = by.hash(first, value.first(half));
  return by.hash(begin, value.last(half));
}

double as_double(const wire::element& value) noexcept {
  if (value.type() == bson_type::float64) {
    return std::bit_cast<double>(wire::load_little<std::uint64_t>(value.value().data()));
  }
  return static_cast<double>(value.as_int64().value_or(0));
}

/// A number that orders as the double does.
std::uint64_t order_bits(double number) noexcept {
  constexpr std::uint64_t sign = 1ULL << 63U;
  const auto bits = std::bit_cast<std::uint64_t>(number);
  return (bits & sign) != 0 ? ~bits : bits | sign;
}

/// The bytes of a value that order as they stand.
std::span<const std::byte> ordered_bytes(const wire::element& value) noexcept {
  constexpr std::size_t binary_head = 5;  // length and subtype
  const auto bytes = value.value();
  switch (value.type()) {
    case bson_type::string:
    case bson_type::symbol:
      return std::as_bytes(std::span{value.as_string()});
    case bson_type::binary:
      return bytes.size() < binary_head ? bytes : bytes.subspan(binary_head);
    case bson_type::object_id:
    case bson_type::boolean:
      return bytes;
    default:
      return {};
  }
}

}  // namespace

std::optional<std::uint64_t> hash_of(const wire::element& value, const salt& by) noexcept {
  const auto bytes = value.value();
  const auto type = static_cast<std::uint8_t>(value.type());
  switch (value.type()) {
    case bson_type::int32:
    case bson_type::int64:
      return hash_number(kind::whole_number,
                         static_cast<std::uint64_t>(value.as_int64().value_or(0)), by);
    case bson_type::float64:
      return hash_double(as_double(value), by);
    case bson_type::decimal128:
      return hash_bytes(static_cast<std::uint8_t>(kind::decimal), bytes, by);
    case bson_type::symbol:
      return hash_bytes(static_cast<std::uint8_t>(bson_type::string), bytes, by);
    case bson_type::array:
    case bson_type::regex:
    case bson_type::undefined:
      return std::nullopt;
    default:
      return hash_bytes(type, bytes, by);
  }
}

std::uint64_t hash_of_missing(const salt& by) noexcept {
  return hash_bytes(static_cast<std::uint8_t>(bson_type::null), {}, by);
}

order_key order_of(const wire::element& value) noexcept {
  constexpr std::size_t word = sizeof(std::uint64_t);
  constexpr std::uint64_t sign = 1ULL << 63U;
  order_key made;
  const auto type = static_cast<std::uint64_t>(routing::canonical_type_of(value.type())) << 56U;
  made.of[0] = type;
  switch (value.type()) {
    case bson_type::int32:
    case bson_type::int64:
    case bson_type::float64:
      made.of[1] = order_bits(as_double(value));
      return made;
    case bson_type::date:
      made.of[1] = wire::load_little<std::uint64_t>(value.value().data()) ^ sign;
      return made;
    case bson_type::timestamp:
      made.of[1] = wire::load_little<std::uint64_t>(value.value().data());
      return made;
    default:
      break;
  }
  auto bytes = ordered_bytes(value);
  made.of[0] |= routing::head_of(bytes) >> 8U;
  bytes = bytes.subspan(std::min(bytes.size(), word - 1));
  made.of[1] = routing::head_of(bytes);
  bytes = bytes.subspan(std::min(bytes.size(), word));
  made.of[2] = routing::head_of(bytes);
  return made;
}

}  // namespace scattergate::digest
