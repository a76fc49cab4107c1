#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "wire/bson.hpp"

/// BSON values as trees that own their contents. The simulator stores and computes with these
/// trees.
namespace scattergate::sim {

using wire::bson_type;

class value;
struct field;
using array = std::vector<value>;

/// A document, which owns its fields. Fields are ordered and, as in BSON, a name may occur
/// twice. Thread-safety of all types in this file: one thread at a time, or several threads
/// that only read.
class document {
 public:
  document() noexcept;
  document(std::initializer_list<field> fields);
  document(const document& other);
  document(document&& other) noexcept;
  document& operator=(const document& other);
  document& operator=(document&& other) noexcept;
  ~document();

  /// The value of the first field named `name`; null if there is none.
  [[nodiscard]] const value* find(std::string_view name) const noexcept;
  [[nodiscard]] value* find(std::string_view name) noexcept;
  /// Whether there is a field named `name`.
  [[nodiscard]] bool has(std::string_view name) const noexcept { return find(name) != nullptr; }

  /// The content of the first field named `name`; null if there is none, or if its type isn't
  /// T.
  template <typename T>
  [[nodiscard]] const T* find_as(std::string_view name) const noexcept;

  /// Replaces the value of the first field named `name`, or appends the field.
  void set(std::string_view name, value content);
  /// Appends a field, even if a field named `name` exists.
  void append(std::string_view name, value content);
  /// Inserts a field before all others.
  void prepend(std::string_view name, value content);
  /// Removes the first field named `name`; returns false if there is none.
  bool erase(std::string_view name);

  /// The fields in order; for range-based for loops.
  [[nodiscard]] const field* begin() const noexcept;
  [[nodiscard]] const field* end() const noexcept;
  [[nodiscard]] field* begin() noexcept {
    return const_cast<field*>(std::as_const(*this).begin());
  }
  [[nodiscard]] field* end() noexcept { return const_cast<field*>(std::as_const(*this).end()); }
  /// The first field. REQUIRES: !empty().
  [[nodiscard]] const field& front() const noexcept { return *begin(); }
  /// The number of fields.
  [[nodiscard]] std::size_t size() const noexcept { return fields_.size(); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }

 private:
  std::vector<field> fields_;
};

// The types of BSON values that have no counterpart in C++.
struct null {};
struct undefined {};
struct min_key {};
struct max_key {};
struct decimal128 {
  std::array<std::uint8_t, 16> bytes{};  ///< as in BSON: little-endian
};
struct object_id {
  std::array<std::uint8_t, 12> bytes{};
  auto operator<=>(const object_id&) const = default;
};
struct date {
  std::int64_t millis = 0;  ///< milliseconds since 1970
  auto operator<=>(const date&) const = default;
};
struct timestamp {
  std::uint32_t increment = 0;
  std::uint32_t seconds = 0;  ///< since 1970
  bool operator==(const timestamp&) const = default;
  auto operator<=>(const timestamp& other) const noexcept {
    return std::pair{seconds, increment} <=> std::pair{other.seconds, other.increment};
  }
};
struct binary {
  std::uint8_t subtype = 0;
  std::string bytes;
  bool operator==(const binary&) const = default;
  auto operator<=>(const binary& other) const noexcept {
    return std::tuple{bytes.size(), subtype, std::string_view{bytes}} <=>
           std::tuple{other.bytes.size(), other.subtype, std::string_view{other.bytes}};
  }
};
struct regex {
  std::string pattern;
  std::string options;
  auto operator<=>(const regex&) const = default;
};
struct symbol {
  std::string text;
  auto operator<=>(const symbol&) const = default;
};
struct db_pointer {
  std::string ns;
  object_id id;
  auto operator<=>(const db_pointer&) const = default;
};
struct code {
  std::string text;
  auto operator<=>(const code&) const = default;
};
struct code_with_scope {
  std::string text;
  document scope;
};

/// Whether T is one of the types that `Variant`, a std::variant, may contain.
template <typename T, typename Variant>
inline constexpr bool is_alternative_of = false;
template <typename T, typename... Ts>
inline constexpr bool is_alternative_of<T, std::variant<Ts...>> = (std::is_same_v<T, Ts> ||
                                                                   ...);

/// One BSON value of any type; null by default.
class value {
 public:
  using storage =
      std::variant<null, undefined, min_key, max_key, bool, std::int32_t, std::int64_t, double,
                   decimal128, std::string, symbol, document, array, binary, object_id, date,
                   timestamp, regex, db_pointer, code, code_with_scope>;

  value() noexcept = default;
  value(const char* text) : data_(std::string{text}) {}
  value(std::string_view text) : data_(std::string{text}) {}
  // A value isn't an alternative of itself, so this never replaces the copy constructor.
  template <typename T>
  // NOLINTNEXTLINE(bugprone-forwarding-reference-overload)
  requires(is_alternative_of<std::remove_cvref_t<T>, storage>) value(T&& content)
      : data_(std::in_place_type<std::remove_cvref_t<T>>, std::forward<T>(content)) {}

  template <typename T>
  [[nodiscard]] bool is() const noexcept {
    return std::holds_alternative<T>(data_);
  }
  /// The content if its type is T; null otherwise.
  template <typename T>
  [[nodiscard]] const T* as() const noexcept {
    return std::get_if<T>(&data_);
  }
  template <typename T>
  [[nodiscard]] T* as() noexcept {
    return std::get_if<T>(&data_);
  }

  /// The content, for std::visit.
  [[nodiscard]] const storage& data() const noexcept { return data_; }
  [[nodiscard]] bson_type type() const noexcept;
  /// Whether the value is an int32, an int64, a double or a Decimal128.
  [[nodiscard]] bool is_number() const noexcept;
  /// Whether the value is an int32 or an int64.
  [[nodiscard]] bool is_integer() const noexcept {
    return is<std::int32_t>() || is<std::int64_t>();
  }

  /// The value of a number, including Decimal128; 0 for other types.
  [[nodiscard]] long double as_long_double() const noexcept;
  /// as_long_double() as a double.
  [[nodiscard]] double as_double() const noexcept {
    return static_cast<double>(as_long_double());
  }
  /// The value of a number, truncated and clamped to int64; 0 for NaN and for other types.
  [[nodiscard]] std::int64_t as_int64() const noexcept;

  /// Whether MongoDB converts the value to true: all but false, 0, null and undefined.
  [[nodiscard]] bool is_truthy() const noexcept;

 private:
  storage data_;
};

/// The content of a value that may be missing; null if it is, or if its type isn't T.
template <typename T>
[[nodiscard]] const T* as(const value* content) noexcept {
  return content == nullptr ? nullptr : content->as<T>();
}

template <typename T>
const T* document::find_as(std::string_view name) const noexcept {
  return as<T>(find(name));
}

/// A document's field.
struct field {
  std::string name;
  value content;
};

/// A document that the store, cursors and pipelines share. Immutable once shared.
using document_ptr = std::shared_ptr<const document>;

/// The BSON types that the operand of a `$type` names; "number" names four types. Throws
/// command_failure: bad_value for an unknown type, type_mismatch if the operand itself has a
/// wrong type.
[[nodiscard]] std::vector<bson_type> types_of(const value& operand);

/// The name that a `$type` uses for a BSON type, such as "objectId".
[[nodiscard]] std::string_view type_alias(bson_type type) noexcept;

// MongoDB's order of BSON values of all types (manual: "BSON Types, Comparison/Sort Order").
// Decimal128 is compared as the nearest long double, which keeps about 19 of its 34 digits.

/// The rank of a type in MongoDB's order of BSON values. Types with the same rank are compared
/// by value (mongo: canonicalizeBSONType).
[[nodiscard]] int canonical_rank(bson_type type) noexcept;

/// Compares two values in MongoDB's order.
[[nodiscard]] std::weak_ordering compare(const value& left, const value& right) noexcept;
/// Compares two documents field by field.
[[nodiscard]] std::weak_ordering compare(const document& left, const document& right) noexcept;

/// Compares two arrays member by member. An array precedes a longer one that begins with the
/// same members.
[[nodiscard]] std::weak_ordering compare(const array& left, const array& right) noexcept;

/// Equality as in MongoDB: 1, 1.0 and NumberLong(1) are equal.
[[nodiscard]] inline bool is_equal(const value& left, const value& right) noexcept {
  return compare(left, right) == 0;
}

/// MongoDB's order as a comparator, for std::set and std::map.
struct value_less {
  bool operator()(const value& left, const value& right) const noexcept {
    return compare(left, right) < 0;
  }
  bool operator()(const array& left, const array& right) const noexcept {
    return compare(left, right) < 0;
  }
};

// Arithmetic on BSON numbers with MongoDB's promotions, for `$inc`, `$sum`, `$add`, ...

/// The sum. An int32 if both operands are int32 and it fits, an int64 if both are integers and
/// it fits, otherwise a double. Decimal128 is computed as a double (a documented limitation).
[[nodiscard]] value add(const value& left, const value& right);
/// The product. An int32 if both operands are int32 and it fits, an int64 if both are integers
/// and it fits, otherwise a double. Decimal128 is computed as a double.
[[nodiscard]] value multiply(const value& left, const value& right);

}  // namespace scattergate::sim
