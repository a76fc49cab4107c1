#pragma once

#include <string_view>

namespace scattergate::routing {

/// A dotted path of a filter, in pieces where an $elemMatch lies between them.
/// Thread-safety: immutable.
struct match_path {
  std::string_view name;
  const match_path* outer = nullptr;
  bool reaches_key = true;  ///< false: nothing below it is a field of the shard key
};

/// How a filter's path lies to a key field's path.
enum class path_relation {
  apart,
  same,
  above,  ///< a parent document of the key field
  below,  ///< inside the key field's value
};

/// `rest` becomes the part of `key` below `path` where that is `above`.
[[nodiscard]] path_relation relate(const match_path& path, std::string_view key,
                                   std::string_view& rest) noexcept;

/// The same for a plain path.
[[nodiscard]] path_relation relate(std::string_view path, std::string_view key) noexcept;

}  // namespace scattergate::routing
