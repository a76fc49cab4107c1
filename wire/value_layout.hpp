#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "wire/bson.hpp"

namespace scattergate::wire {

/// The rule for the size of a BSON value of one type; `bytes` is its parameter. Thread-safety:
/// immutable.
struct value_layout {
  enum class kind : std::uint8_t {
    fixed,         ///< `bytes` bytes
    prefixed,      ///< an int32 length, that many bytes, and `bytes` more
    self_counted,  ///< an int32 length that counts itself
    regex,         ///< two NUL-terminated strings
    unknown,       ///< not a BSON type
  };
  kind how = kind::unknown;
  std::uint8_t bytes = 0;
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

/// The layouts by type byte: layout_of() as a table.
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

/// The size in bytes of the value of `type` at the start of `bytes`. Larger than bytes.size()
/// if the value doesn't fit or is invalid: a string or document without its closing NUL, a
/// boolean other than 0 and 1, a code with scope whose parts don't add up to its length.
[[nodiscard]] inline std::size_t value_size(bson_type type,
                                            std::span<const std::byte> bytes) noexcept {
  const value_layout layout = value_layouts[static_cast<std::size_t>(type)];
  const bool is_fixed = layout.how == value_layout::kind::fixed;
  return is_fixed && type != bson_type::boolean ? layout.bytes
                                                : unfixed_value_size(type, bytes);
}

}  // namespace scattergate::wire
