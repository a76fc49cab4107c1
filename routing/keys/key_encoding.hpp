#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "routing/scratch.hpp"
#include "wire/bson.hpp"
#include "wire/endian.hpp"

/// An order-preserving byte encoding of BSON values: memcmp (shorter first) of two encodings
/// is MongoDB's comparison of the values (mongo: bson/bsonelement_comparator, "BSON comparison
/// order"), numbers across types included, under the simple collation, field names ignored at
/// the top and compared within documents. No encoding is a proper prefix of another, so that
/// the fields of a compound key may be concatenated.
namespace scattergate::routing {

using bytes_view = std::span<const std::byte>;

/// MongoDB's canonical type, the first byte of an encoding (MinKey and MaxKey are moved to 0
/// and 255 so that bytes order as types do).
enum class canonical_type : std::uint8_t {
  min_key = 0,
  undefined = 1 /* sorts below null */,
  null = 5,
  number = 10,
  string = 15,
  object = 20,
  array = 25,
  binary = 30,
  object_id = 35,
  boolean = 40,
  date = 45,
  timestamp = 47,
  regex = 50,
  db_pointer = 55,
  code = 60,
  code_with_scope = 65,
  max_key = 255,
};

[[nodiscard]] canonical_type canonical_type_of(wire::bson_type type) noexcept;

/// Encodes `value` into memory of `memory`; empty where that is exhausted, or the value is
/// corrupt or nested beyond the inspection depth.
[[nodiscard]] bytes_view encode(const wire::element& value, scratch& memory) noexcept;

/// Encodes an int64 (a hash, mostly) as the number it is.
[[nodiscard]] bytes_view encode_int64(std::int64_t value, scratch& memory) noexcept;

/// The encodings of values that need no scratch.
[[nodiscard]] bytes_view encoded_min_key() noexcept;
[[nodiscard]] bytes_view encoded_max_key() noexcept;
[[nodiscard]] bytes_view encoded_null() noexcept;

/// The least and the greatest value that MongoDB's index bounds know of one type (mongo:
/// bson/bsonobjbuilder.cpp appendMinForType, appendMaxForType): NaN to infinity for numbers.
/// The types without a greatest value (strings, documents, ...) end where the next type
/// begins, which the interval of the bracket leaves out (see is_greatest_within).
[[nodiscard]] bytes_view encoded_least_of(canonical_type type) noexcept;
[[nodiscard]] bytes_view encoded_greatest_of(canonical_type type) noexcept;

/// Whether encoded_greatest_of(type) is itself of that type.
[[nodiscard]] bool is_greatest_within(canonical_type type) noexcept;

/// Where the numbers below another number begin: NaN lies outside of comparisons.
[[nodiscard]] bytes_view encoded_minus_infinity() noexcept;

/// The same as encode() for cold places: appends, or says false where the value is corrupt or
/// nested beyond the inspection depth.
[[nodiscard]] bool append_encoded(std::vector<std::byte>& to, const wire::element& value);

/// The first eight bytes of an encoding as a number that orders as they do. What is missing
/// counts as 0, which is not above anything that could stand there.
[[nodiscard]] inline std::uint64_t head_of(bytes_view encoded) noexcept {
  std::uint64_t head = 0;
  if (encoded.size() >= sizeof head) {
    return __builtin_bswap64(wire::load_little<std::uint64_t>(encoded.data()));
  }
  for (std::size_t i = 0; i != encoded.size(); ++i) {
    head |= std::to_integer<std::uint64_t>(encoded[i]) << (56 - 8 * i);
  }
  return head;
}

/// MongoDB's order of two encodings: negative, zero, positive.
[[nodiscard]] int compare_encoded(bytes_view left, bytes_view right) noexcept;

}  // namespace scattergate::routing
