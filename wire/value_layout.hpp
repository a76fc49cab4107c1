#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "wire/bson.hpp"

namespace scattergate::wire {

/// The size of the int32 length with which some BSON values begin, in bytes.
inline constexpr std::size_t prefix_bytes = 4;

/// The rule for the size of a BSON value of one type. Thread-safety: immutable.
struct value_layout {
  /// The parts of which the value consists.
  enum class kind : std::uint8_t {
    fixed,         ///< `bytes` bytes
    prefixed,      ///< an int32 length, that many bytes, and `bytes` more bytes
    self_counted,  ///< an int32 length that counts the whole value, including the int32
    regex,         ///< two NUL-terminated strings
    unknown,       ///< not a BSON type
  };
  kind how = kind::unknown;  ///< the parts of which the value consists
  std::uint8_t bytes = 0;    ///< for `fixed` and `prefixed`: see `kind`
};

/// The layout of values of this type.
[[nodiscard]] constexpr value_layout layout_of(bson_type type) noexcept {
  using kind = value_layout::kind;
  switch (type) {
    case bson_type::undefined:
    case bson_type::null:
    case bson_type::min_key:
    case bson_type::max_key:
      return {kind::fixed, 0};
    case bson_type::boolean:
      return {kind::fixed, 1};
    case bson_type::int32:
      return {kind::fixed, 4};
    case bson_type::float64:
    case bson_type::date:
    case bson_type::timestamp:
    case bson_type::int64:
      return {kind::fixed, 8};
    case bson_type::object_id:
      return {kind::fixed, 12};
    case bson_type::decimal128:
      return {kind::fixed, 16};
    case bson_type::string:
    case bson_type::code:
    case bson_type::symbol:
      return {kind::prefixed, 0};
    case bson_type::binary:
      return {kind::prefixed, 1};
    case bson_type::db_pointer:
      return {kind::prefixed, 12};
    case bson_type::document:
    case bson_type::array:
    case bson_type::code_with_scope:
      return {kind::self_counted, 0};
    case bson_type::regex:
      return {kind::regex, 0};
  }
  return {};
}

/// The results of layout_of() as a table, indexed by the type byte.
inline constexpr auto value_layouts = [] {
  std::array<value_layout, 256> all;
  for (std::size_t type = 0; type != all.size(); ++type) {
    all[type] = layout_of(static_cast<bson_type>(type));
  }
  return all;
}();

/// Implements value_size() for types without a fixed size.
[[nodiscard]] std::size_t unfixed_value_size(bson_type type,
                                             std::span<const std::byte> bytes) noexcept;

/// The size in bytes of the value of `type` at the start of `bytes`. A result larger than
/// bytes.size() means an error: `type` isn't a BSON type, the value doesn't fit, or it is
/// invalid. Invalid are a string or document without a closing NUL, a document of invalid
/// length, a boolean other than 0 and 1, and a code with scope whose length isn't the sum of
/// its parts.
[[nodiscard]] inline std::size_t value_size(bson_type type,
                                            std::span<const std::byte> bytes) noexcept {
  const value_layout layout = value_layouts[static_cast<std::size_t>(type)];
  const bool is_fixed = layout.how == value_layout::kind::fixed;
  return is_fixed && type != bson_type::boolean ? layout.bytes
                                                : unfixed_value_size(type, bytes);
}

}  // namespace scattergate::wire
