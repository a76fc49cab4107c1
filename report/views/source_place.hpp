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

/// The place in the source code from which a command was sent, according to its comment.
/// Searches for sqlcommenter's `file='path',line='42'` first, then for `path:line` with a
/// source file's name: "src/orders.py:42", or marginalia's "line:/app/models/order.rb:12:in".
/// std::nullopt if the comment has no place. Backslashes count as slashes. Comments are
/// untrusted: a path that leaves the repository is ignored. A path below `root`, the
/// repository's absolute folder, is made relative to `root`.
[[nodiscard]] std::optional<source_place> place_in(std::string_view comment,
                                                   std::string_view root = {});

/// The place in the source code from which the commands of one shape (a row of the digest)
/// were sent. Searches the senders' comments with place_in(), the most frequent sender first.
/// std::nullopt if no comment contains a place.
[[nodiscard]] std::optional<source_place> place_of(const digest::row& one,
                                                   std::string_view root = {});

/// The path relative to the repository, as in source_place::path. Empty if the path leaves the
/// repository, is too long, or has characters that source_place::path doesn't allow.
[[nodiscard]] std::string path_in_repository(std::string_view path, std::string_view root);

}  // namespace scattergate::report
