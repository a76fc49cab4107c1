#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "routing/scratch.hpp"
#include "wire/bson.hpp"
#include "wire/endian.hpp"

/// An order-preserving byte encoding of BSON values: comparing two encodings bytewise gives
/// MongoDB's order of the values (mongo: bson/bsonelement_comparator, "BSON comparison order"),
/// under the simple collation. Numbers are compared across types; a value's own field name is
/// ignored, names within documents aren't. No encoding is a proper prefix of another, so the
/// encodings of a compound key's fields can be concatenated.
namespace scattergate::routing {

using bytes_view = std::span<const std::byte>;

/// MongoDB's canonical types, the first byte of an encoding. MinKey and MaxKey have 0 and 255,
/// so that bytes sort like types.
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

/// Whether both are numbers, of any type, with one value. False if one is corrupt, or `work`
/// has run out.
[[nodiscard]] bool are_equal_numbers(const wire::element& left, const wire::element& right,
                                     wire::work_budget& work) noexcept;

/// Encodes an int64, typically a hash.
[[nodiscard]] bytes_view encode_int64(std::int64_t value, scratch& memory) noexcept;

/// The encoding of MinKey; a constant.
[[nodiscard]] bytes_view encoded_min_key() noexcept;
/// The encoding of MaxKey; a constant.
[[nodiscard]] bytes_view encoded_max_key() noexcept;
/// The encoding of null; a constant.
[[nodiscard]] bytes_view encoded_null() noexcept;

/// The least value of a type in MongoDB's index bounds (mongo: bson/bsonobjbuilder.cpp,
/// appendMinForType); NaN for numbers.
[[nodiscard]] bytes_view encoded_least_of(canonical_type type) noexcept;
/// The greatest value of a type in MongoDB's index bounds (mongo: bson/bsonobjbuilder.cpp,
/// appendMaxForType); infinity for numbers. For types without a greatest value (strings,
/// documents, ...), the start of the next type; see is_greatest_within().
[[nodiscard]] bytes_view encoded_greatest_of(canonical_type type) noexcept;

/// Whether encoded_greatest_of(type) itself has that type, so that a range over the type
/// includes its end.
[[nodiscard]] bool is_greatest_within(canonical_type type) noexcept;

/// The lower end of a range of numbers in comparisons, which exclude NaN.
[[nodiscard]] bytes_view encoded_minus_infinity() noexcept;

/// Encodes a value and appends it to `to`; false if the value is corrupt or nested beyond the
/// inspection depth. Allocates: not for the data path.
[[nodiscard]] bool append_encoded(std::vector<std::byte>& to, const wire::element& value);

/// The first eight bytes of an encoding as a number with the same order. Missing bytes count as
/// 0.
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

/// Compares two encoded values in MongoDB's order: negative, zero or positive.
[[nodiscard]] int compare_encoded(bytes_view left, bytes_view right) noexcept;

}  // namespace scattergate::routing
