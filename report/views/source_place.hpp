#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "digest/row.hpp"

namespace scattergate::report {

/// A line of an application's source, by its path in the repository.
struct source_place {
  std::string path;  ///< relative, of characters that paths are made of
  unsigned line = 0;
  friend bool operator==(const source_place&, const source_place&) = default;
};

/// Where a command's comment says that it was sent from: the first `path:line` whose path has
/// the name of a source file ("src/orders.py:42"; marginalia's
/// "line:/app/models/order.rb:12:in"), or `file='path',line='42'` (sqlcommenter); backslashes
/// stand for slashes. A comment may
/// be anybody's: a path that leads out of the repository is none, one below `root`, the
/// repository's absolute folder, is told from there.
[[nodiscard]] std::optional<source_place> place_in(std::string_view comment,
                                                   std::string_view root = {});

/// The same of whoever sends a shape most, as far as one of them says it.
[[nodiscard]] std::optional<source_place> place_of(const digest::row& one,
                                                   std::string_view root = {});

/// The path as `place_in` would tell it; empty where it leads out of the repository.
[[nodiscard]] std::string path_in_repository(std::string_view path, std::string_view root);

}  // namespace scattergate::report
