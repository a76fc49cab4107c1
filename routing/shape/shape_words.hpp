#pragma once

#include <cstdint>
#include <string_view>

/// The keywords of MongoDB that a shape keeps as strings. Any other string in the same position
/// is data, which the shape replaces.
namespace scattergate::routing {

/// A position in which keywords may occur.
enum class word_place : std::uint8_t {
  direction,   ///< the kind of index in a key pattern: "hashed"
  meta,        ///< the operand of $meta: "textScore"
  locale,      ///< a collation's locale
  collation,   ///< a collation's other options: "upper"
  when_match,  ///< $merge's action for matching documents, or for other documents
};

/// Whether `text` is a keyword in this position.
[[nodiscard]] bool is_word(word_place place, std::string_view text) noexcept;

}  // namespace scattergate::routing
