#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "routing/scratch.hpp"
#include "wire/bson.hpp"
#include "wire/endian.hpp"

namespace scattergate::routing {

/// The parts of a BSON value of type "code with scope".
struct code_with_scope {
  std::span<const std::byte> code;  ///< includes the terminating NUL
  wire::document_view scope;
};

/// Splits a value of type "code with scope"; std::nullopt if it is broken.
[[nodiscard]] std::optional<code_with_scope> split_code_with_scope(
    const wire::element& value) noexcept;

/// Reads all fields nested in a value, depth first, without recursion. After a field that has
/// inner fields (see is_nesting()), next() reads the inner fields, then returns `closed`.
/// Nesting deeper than wire::limits::inspect_depth counts as broken. The object is about 6 KiB
/// in size. Thread-safety: one thread at a time.
class nested_reader {
 public:
  enum class step : std::uint8_t {
    field,   ///< next() has read a field
    closed,  ///< the innermost open document, array or scope ended
    done,    ///< the root ended
    broken,  ///< the value is corrupt or nested too deeply
  };

  /// Starts at the first field of `root`. REQUIRES: is_nesting(root.type()).
  explicit nested_reader(const wire::element& root) noexcept;

  /// Takes the next step. Sets `field` only if the result is step::field.
  [[nodiscard]] step next(wire::element& field) noexcept;

  /// Whether the last field read is a member of an array.
  [[nodiscard]] bool is_in_array() const noexcept { return field_in_array_; }

 private:
  struct level {
    explicit level(wire::document_view document) noexcept : reader(document) {}
    wire::document_reader reader;
    bool is_array = false;
  };
  /// Room for a level. `open` is constructed only when the level is entered, because most
  /// values are flat.
  union place {
    place() noexcept {}
    level open;
  };
  [[nodiscard]] bool enter(const wire::element& value) noexcept;

  std::array<place, wire::limits::inspect_depth> levels_;  // the first depth_ are open
  std::size_t depth_ = 0;
  std::optional<wire::element> pending_;  // the field whose contents next() reads next
  bool field_in_array_ = false;
  bool broken_ = false;
};

/// Whether nested_reader enters fields of this type.
[[nodiscard]] constexpr bool is_nesting(wire::bson_type type) noexcept {
  return type == wire::bson_type::document || type == wire::bson_type::array ||
         type == wire::bson_type::code_with_scope;
}

/// An order-preserving byte encoding of BSON values: comparing two encodings bytewise gives
/// MongoDB's order of the values under the simple collation (mongo:
/// bson/bsonelement_comparator, "BSON comparison order"). Numbers of all types are compared by
/// value. The name of the value's own field is ignored; names of fields within documents count.
/// No encoding is a proper prefix of another, so the encodings of a compound key's fields can
/// be concatenated.

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
