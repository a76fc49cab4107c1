#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "digest/row.hpp"

namespace scattergate::report {

/// A line of an application's source code.
struct source_place {
  std::string path;  ///< relative to the repository, with characters allowed in paths only
  unsigned line = 0;
  friend bool operator==(const source_place&, const source_place&) = default;
};

/// The place in the source code from which a command was sent, according to its comment: the
/// first `path:line` with a source file's name ("src/orders.py:42"; marginalia's
/// "line:/app/models/order.rb:12:in"), or sqlcommenter's `file='path',line='42'`. Backslashes
/// count as slashes. Comments are untrusted: a path that leaves the repository is ignored; one
/// below `root`, the repository's absolute folder, is made relative to it.
[[nodiscard]] std::optional<source_place> place_in(std::string_view comment,
                                                   std::string_view root = {});

/// The place of the most frequent sender of a shape whose comment has one; see place_in().
[[nodiscard]] std::optional<source_place> place_of(const digest::row& one,
                                                   std::string_view root = {});

/// The path in the form of place_in(); empty if it leaves the repository.
[[nodiscard]] std::string path_in_repository(std::string_view path, std::string_view root);

}  // namespace scattergate::report
