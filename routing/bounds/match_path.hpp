#pragma once

#include <cstdint>
#include <string_view>

#include "routing/scratch.hpp"

namespace scattergate::routing {

/// A dotted path in a filter. A path within an $elemMatch has two parts: `outer` is the path of
/// the $elemMatch, `name` the rest. In {a: {$elemMatch: {b: 1}}}, the path of b has the name
/// "b" and the outer path "a". Thread-safety: immutable.
struct match_path {
  std::string_view name;              ///< the path, or its part within the innermost $elemMatch
  const match_path* outer = nullptr;  ///< the path of the innermost $elemMatch around it; null:
                                      ///< none
  bool reaches_key = true;            ///< for the path of an $elemMatch: whether a shard key
                                      ///< field is below it
};

/// The position of a filter's path relative to the path of a key field.
enum class path_relation {
  unrelated,  ///< neither contains the other
  same,       ///< they are the same path
  above,      ///< a parent document of the key field
  below,      ///< inside the key field's value
};

/// The position of `path` relative to the path `key` of a key field. If the result is `above`,
/// sets `rest` to the part of `key` below `path`; otherwise `rest` has no meaning.
[[nodiscard]] path_relation relate(const match_path& path, std::string_view key,
                                   std::string_view& rest) noexcept;

/// The position of a path without $elemMatch relative to the path `key` of a key field.
[[nodiscard]] path_relation relate(std::string_view path, std::string_view key) noexcept;

/// A word with one bit set, which stands for the path in a set of paths. Different paths may
/// have the same bit, so such a set can give false positives.
[[nodiscard]] std::uint64_t bit_of(std::string_view path) noexcept;

/// Copies a path, including its outer paths, to the scratch memory. Null if the memory is
/// exhausted.
[[nodiscard]] const match_path* keep(const match_path& path, scratch& memory) noexcept;

}  // namespace scattergate::routing
