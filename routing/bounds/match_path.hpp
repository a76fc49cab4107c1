#pragma once

#include <cstdint>
#include <string_view>

#include "routing/scratch.hpp"

namespace scattergate::routing {

/// A dotted path in a filter, split at each $elemMatch: `outer` is the path outside.
/// Thread-safety: immutable.
struct match_path {
  std::string_view name;
  const match_path* outer = nullptr;
  bool reaches_key = true;  ///< false: nothing below it is a field of the shard key
};

/// The relation of a filter's path to a key field's path.
enum class path_relation {
  apart,
  same,
  above,  ///< a parent document of the key field
  below,  ///< inside the key field's value
};

/// The relation of `path` to a key field's path. If it is `above`, sets `rest` to the part of
/// `key` below `path`.
[[nodiscard]] path_relation relate(const match_path& path, std::string_view key,
                                   std::string_view& rest) noexcept;

/// The relation of a path without $elemMatch to a key field's path.
[[nodiscard]] path_relation relate(std::string_view path, std::string_view key) noexcept;

/// One of 64 bits for a path; several paths may share one.
[[nodiscard]] std::uint64_t bit_of(std::string_view path) noexcept;

/// A copy of a path in the scratch memory; null if that is exhausted.
[[nodiscard]] const match_path* keep(const match_path& path, scratch& memory) noexcept;

}  // namespace scattergate::routing
