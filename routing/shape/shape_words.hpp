#pragma once

#include <cstdint>
#include <string_view>

/// The keywords of MongoDB that a shape keeps as strings. Any other string in such a position
/// is data.
namespace scattergate::routing {

/// A position in which keywords may occur.
enum class word_place : std::uint8_t {
  direction,   ///< in a key pattern: the kind of index
  meta,        ///< the operand of $meta
  locale,      ///< a collation's
  collation,   ///< a collation's other options
  when_match,  ///< what a $merge does with documents that match, or don't
};

/// Whether `text` is a keyword in this position.
[[nodiscard]] bool is_word(word_place place, std::string_view text) noexcept;

}  // namespace scattergate::routing
