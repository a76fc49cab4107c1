#pragma once

#include <cstdint>
#include <string_view>

/// The words of MongoDB's language that a shape keeps where a string stands. Any other string
/// there is somebody's value.
namespace scattergate::routing {

/// Where a word stands.
enum class word_place : std::uint8_t {
  direction,   ///< in a key pattern: a kind of index
  meta,        ///< behind $meta
  locale,      ///< a collation's
  collation,   ///< its other options
  when_match,  ///< what a $merge does with documents that match or don't
};

[[nodiscard]] bool is_word(word_place place, std::string_view text) noexcept;

}  // namespace scattergate::routing
