#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "wire/bson.hpp"

namespace scattergate::routing {

/// The parts of a code with scope.
struct code_with_scope {
  std::span<const std::byte> code;  ///< including its closing NUL
  wire::document_view scope;
};

/// Splits a code with scope; std::nullopt if it is broken.
[[nodiscard]] std::optional<code_with_scope> split_code_with_scope(
    const wire::element& value) noexcept;

/// Walks all fields nested in a document or array, depth first, without recursion. A field that
/// is a document, an array or a code with scope is followed by its inner fields, then by
/// `closed`. Limited to the inspection depth. About 6 KiB in size.
class nested_reader {
 public:
  enum class step : std::uint8_t {
    field,   ///< a field was read
    closed,  ///< the innermost open document, array or scope ended
    done,    ///< the outermost one ended
    broken,  ///< corrupt, or nested too deeply
  };

  /// Starts inside `root`, which must be a document, an array or a code with scope.
  explicit nested_reader(const wire::element& root) noexcept;

  [[nodiscard]] step next(wire::element& field) noexcept;

  /// Whether the last field read is a member of an array.
  [[nodiscard]] bool is_in_array() const noexcept { return field_in_array_; }

 private:
  struct level {
    explicit level(wire::document_view document) noexcept : reader(document) {}
    wire::document_reader reader;
    bool is_array = false;
  };
  /// Constructed only when it is entered: most values are flat.
  union place {
    place() noexcept {}
    level open;
  };
  [[nodiscard]] bool enter(const wire::element& value) noexcept;

  std::array<place, wire::limits::inspect_depth> levels_;  // the first depth_ are open
  std::size_t depth_ = 0;
  std::optional<wire::element> pending_;  // will be entered by the next step
  bool field_in_array_ = false;
  bool broken_ = false;
};

/// Whether nested_reader enters fields of this type.
[[nodiscard]] constexpr bool is_nesting(wire::bson_type type) noexcept {
  return type == wire::bson_type::document || type == wire::bson_type::array ||
         type == wire::bson_type::code_with_scope;
}

}  // namespace scattergate::routing
