#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "routing/scratch.hpp"
#include "wire/bson.hpp"
#include "wire/endian.hpp"

/// An order-preserving byte encoding of BSON values: memcmp (shorter first) of two encodings
/// gives MongoDB's comparison of the values (mongo: bson/bsonelement_comparator, "BSON
/// comparison order"), with numbers compared across types, the simple collation, and field
/// names ignored at the top level but compared within documents. No encoding is a proper prefix
/// of another, so the encodings of a compound key's fields can be concatenated.
namespace scattergate::routing {

using bytes_view = std::span<const std::byte>;

/// MongoDB's canonical type, the first byte of an encoding. MinKey and MaxKey are moved to 0
/// and 255, so that bytes sort as types do.
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

/// Encodes `value` into `memory`; empty if that is exhausted, or the value is corrupt or nested
/// beyond the inspection depth.
[[nodiscard]] bytes_view encode(const wire::element& value, scratch& memory) noexcept;

/// Encodes an int64, mostly a hash, as a number.
[[nodiscard]] bytes_view encode_int64(std::int64_t value, scratch& memory) noexcept;

/// Encodings of constants; they need no scratch memory.
[[nodiscard]] bytes_view encoded_min_key() noexcept;
[[nodiscard]] bytes_view encoded_max_key() noexcept;
[[nodiscard]] bytes_view encoded_null() noexcept;

/// The least and the greatest value of one type in MongoDB's index bounds (mongo:
/// bson/bsonobjbuilder.cpp appendMinForType, appendMaxForType): NaN and infinity for numbers.
/// Types without a greatest value (strings, documents, ...) end where the next type begins; the
/// bracket's interval excludes that end (see is_greatest_within).
[[nodiscard]] bytes_view encoded_least_of(canonical_type type) noexcept;
[[nodiscard]] bytes_view encoded_greatest_of(canonical_type type) noexcept;

/// Whether encoded_greatest_of(type) itself has that type.
[[nodiscard]] bool is_greatest_within(canonical_type type) noexcept;

/// The lower end of numbers less than another number: comparisons exclude NaN.
[[nodiscard]] bytes_view encoded_minus_infinity() noexcept;

/// encode() for code outside the data path: appends to `to`; false if the value is corrupt or
/// nested beyond the inspection depth. Allocates.
[[nodiscard]] bool append_encoded(std::vector<std::byte>& to, const wire::element& value);

/// The first eight bytes of an encoding as a number that sorts as they do. Missing bytes count
/// as 0, which is never greater than a byte in their place.
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

/// MongoDB's order of two encoded values: negative, zero, positive.
[[nodiscard]] int compare_encoded(bytes_view left, bytes_view right) noexcept;

}  // namespace scattergate::routing
