#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "wire/bson.hpp"

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

}  // namespace scattergate::routing
