#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "wire/limits.hpp"

/// Reads untrusted BSON. Checks a document's length before reading its fields, and each field
/// when reading it. Uses no recursion.
namespace scattergate::wire {

/// BSON element types (bsonspec.org).
enum class bson_type : std::uint8_t {
  float64 = 0x01,
  string = 0x02,
  document = 0x03,
  array = 0x04,
  binary = 0x05,
  undefined = 0x06,
  object_id = 0x07,
  boolean = 0x08,
  date = 0x09,
  null = 0x0a,
  regex = 0x0b,
  db_pointer = 0x0c,
  code = 0x0d,
  symbol = 0x0e,
  code_with_scope = 0x0f,
  int32 = 0x10,
  timestamp = 0x11,
  int64 = 0x12,
  decimal128 = 0x13,
  max_key = 0x7f,
  min_key = 0xff,
};

/// A view of a BSON document, valid as long as the document's bytes. The document's length and
/// closing NUL have been checked; its fields haven't. Thread-safety: immutable.
class document_view {
 public:
  /// A view of the empty document.
  document_view() noexcept;

  /// A view of `bytes`; std::nullopt if they aren't exactly one document.
  [[nodiscard]] static std::optional<document_view> from(
      std::span<const std::byte> bytes) noexcept;

  /// A view of the document at the start of `bytes`; ignores the bytes after it. std::nullopt
  /// if there is no valid document.
  [[nodiscard]] static std::optional<document_view> first_of(
      std::span<const std::byte> bytes) noexcept;

  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return bytes_.size(); }
  [[nodiscard]] bool is_empty() const noexcept {
    return bytes_.size() == limits::min_document_bytes;
  }

 private:
  explicit document_view(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}
  std::span<const std::byte> bytes_;
};

/// A field of a document, or an item of an array. A view, valid as long as the document's
/// bytes. Thread-safety: immutable.
class element {
 public:
  element() = default;
  element(std::string_view key, bson_type type, std::span<const std::byte> value) noexcept
      : key_(key), value_(value), type_(type) {}

  /// The field's name, or the item's index as text.
  [[nodiscard]] std::string_view key() const noexcept { return key_; }
  [[nodiscard]] bson_type type() const noexcept { return type_; }

  /// The encoded value, without the field's type and name.
  [[nodiscard]] std::span<const std::byte> value() const noexcept { return value_; }

  [[nodiscard]] bool is_document() const noexcept { return type_ == bson_type::document; }
  [[nodiscard]] bool is_array() const noexcept { return type_ == bson_type::array; }
  [[nodiscard]] bool is_string() const noexcept { return type_ == bson_type::string; }
  /// Whether the value is an int32, int64, float64 or decimal128.
  [[nodiscard]] bool is_number() const noexcept {
    return type_ == bson_type::int32 || type_ == bson_type::int64 ||
           type_ == bson_type::float64 || type_ == bson_type::decimal128;
  }

  /// The embedded document; std::nullopt if the value has another type or is corrupt.
  [[nodiscard]] std::optional<document_view> as_document() const noexcept {
    return is_document() ? document_view::from(value_) : std::nullopt;
  }

  /// The array; std::nullopt if the value has another type or is corrupt.
  [[nodiscard]] std::optional<document_view> as_array() const noexcept {
    return is_array() ? document_view::from(value_) : std::nullopt;
  }

  /// The embedded document or array; std::nullopt if the value has another type or is corrupt.
  [[nodiscard]] std::optional<document_view> as_container() const noexcept {
    return is_document() || is_array() ? document_view::from(value_) : std::nullopt;
  }

  /// The text of a string, symbol or code, including embedded NULs; empty for other types.
  [[nodiscard]] std::string_view as_string() const noexcept;

  /// The value of an int32, an int64, or a float64 that is an integer in int64's range;
  /// std::nullopt for any other value.
  [[nodiscard]] std::optional<std::int64_t> as_int64() const noexcept;

  /// The value as MongoDB interprets it where it expects a boolean: false for `false`, zero,
  /// null and undefined, true for all other values (mongo: bson/bsonelement.h, trueValue).
  [[nodiscard]] bool is_truthy() const noexcept;

 private:
  std::string_view key_;
  std::span<const std::byte> value_;
  bson_type type_ = bson_type::null;
};

/// Iterates over the fields of a document, or the items of an array. Doesn't enter nested
/// documents.
///
///     document_reader reader{doc};
///     for (element field; reader.next(field);) ...
///     if (reader.is_corrupt()) ...
class document_reader {
 public:
  explicit document_reader(document_view document) noexcept
      : at_(document.bytes().data() + sizeof(std::uint32_t)),
        end_(document.bytes().data() + document.size_bytes() - 1) {}

  /// Reads the next field into `field`. Returns false at the end, and at a corrupt field.
  [[nodiscard]] bool next(element& field) noexcept;

  /// Whether next() returned false because of a corrupt field.
  [[nodiscard]] bool is_corrupt() const noexcept { return corrupt_; }

 private:
  bool stop() noexcept;

  const std::byte* at_;   // the next element
  const std::byte* end_;  // the document's closing NUL
  bool corrupt_ = false;
};

/// The first field named `name`; std::nullopt if there is none, or if a corrupt field precedes
/// it.
[[nodiscard]] std::optional<element> find_field(document_view document,
                                                std::string_view name) noexcept;

/// The number of fields of a document, or of items of an array; std::nullopt if a field is
/// corrupt.
[[nodiscard]] std::optional<std::size_t> count_fields(document_view document) noexcept;

/// Limits the number of fields and of nesting levels that are read to judge one command.
class inspect_budget {
 public:
  explicit inspect_budget(std::uint32_t nodes = limits::inspect_nodes,
                          std::uint32_t depth = limits::inspect_depth) noexcept
      : nodes_(nodes), depth_(depth) {}

  /// Counts a field or array item. Returns false if the limit is reached.
  [[nodiscard]] bool spend_node() noexcept { return nodes_ != 0 && nodes_-- != 0; }

  /// Enters a nested document or array. Returns false at the depth limit. After true, call
  /// leave() once the nested value has been read.
  [[nodiscard]] bool enter() noexcept { return depth_ != 0 && depth_-- != 0; }
  /// Leaves a nested document or array that enter() has entered.
  void leave() noexcept { ++depth_; }

 private:
  std::uint32_t nodes_;
  std::uint32_t depth_;
};

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
