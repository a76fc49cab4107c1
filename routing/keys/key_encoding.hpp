#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "routing/scratch.hpp"
#include "wire/bson.hpp"
#include "wire/endian.hpp"

/// An order-preserving byte encoding of BSON values: comparing two encodings bytewise gives
/// MongoDB's order of the values under the simple collation (mongo:
/// bson/bsonelement_comparator, "BSON comparison order"). Numbers of all types are compared by
/// value. The name of the value's own field is ignored; names of fields within documents count.
/// No encoding is a proper prefix of another, so the encodings of a compound key's fields can
/// be concatenated.
namespace scattergate::routing {

/// Bytes that another object owns, such as an encoded value.
using bytes_view = std::span<const std::byte>;

/// MongoDB's canonical types. BSON types whose values are compared with each other, such as
/// all numbers, share one canonical type. It is the first byte of an encoding, so bytewise
/// order is the order of types.
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

/// The canonical type of a BSON type.
[[nodiscard]] canonical_type canonical_type_of(wire::bson_type type) noexcept;

/// Encodes `value` into `memory`. Empty if the memory is exhausted, or the value is corrupt or
/// nested beyond wire::limits::inspect_depth.
[[nodiscard]] bytes_view encode(const wire::element& value, scratch& memory) noexcept;

/// Whether two values are numbers, of any type, with the same value. False if one is corrupt,
/// or if `work` has run out.
[[nodiscard]] bool are_equal_numbers(const wire::element& left, const wire::element& right,
                                     wire::work_budget& work) noexcept;

/// Encodes an int64, typically a hash, into `memory`. Empty if the memory is exhausted.
[[nodiscard]] bytes_view encode_int64(std::int64_t value, scratch& memory) noexcept;

/// The encoding of MinKey; a constant.
[[nodiscard]] bytes_view encoded_min_key() noexcept;
/// The encoding of MaxKey; a constant.
[[nodiscard]] bytes_view encoded_max_key() noexcept;
/// The encoding of null; a constant.
[[nodiscard]] bytes_view encoded_null() noexcept;

/// The encoding of the least value of a type in MongoDB's index bounds (mongo:
/// bson/bsonobjbuilder.cpp, appendMinForType); NaN for numbers. A constant.
[[nodiscard]] bytes_view encoded_least_of(canonical_type type) noexcept;
/// The encoding of the greatest value of a type in MongoDB's index bounds (mongo:
/// bson/bsonobjbuilder.cpp, appendMaxForType); infinity for numbers. For a type without a
/// greatest value (strings, documents, ...), the least value of the next type; see
/// is_greatest_within(). A constant.
[[nodiscard]] bytes_view encoded_greatest_of(canonical_type type) noexcept;

/// Whether encoded_greatest_of(type) is a value of that type. If so, a range over the whole
/// type includes its high end.
[[nodiscard]] bool is_greatest_within(canonical_type type) noexcept;

/// The encoding of minus infinity: the low end of a comparison such as {$lt: 5}, which doesn't
/// match NaN. A constant.
[[nodiscard]] bytes_view encoded_minus_infinity() noexcept;

/// Encodes a value and appends the encoding to `to`; false if the value is corrupt or nested
/// beyond wire::limits::inspect_depth. Allocates, so don't call it on the data path.
[[nodiscard]] bool append_encoded(std::vector<std::byte>& to, const wire::element& value);

/// The first eight bytes of an encoding as a number that sorts like the bytes. Missing bytes
/// count as 0.
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
