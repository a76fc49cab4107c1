#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "digest/row.hpp"

namespace scattergate::report {

/// A line of an application's source code.
struct source_place {
  std::string path;  ///< relative to the repository, with characters allowed in paths only
  unsigned line = 0;
  std::string test{};  ///< a test that was running when the line sent the command; empty:
                       ///< unknown. Doesn't distinguish places
  friend bool operator==(const source_place& a, const source_place& b) noexcept {
    return a.line == b.line && a.path == b.path;
  }
};

/// The repository in which places are found.
struct repository {
  std::string root{};      ///< its absolute folder, also a Windows path; empty: unknown
  std::string working{};   ///< the folder below `root` in which the senders ran; empty: `root`
  bool has_files = false;  ///< the repository's files are below `root`: a path that isn't one
                           ///< of them is no place
};

/// The place in the source code from which a command was sent, according to its comment.
/// Searches for sqlcommenter's `file='path',line='42'` first, then for `path:line` with a
/// source file's name: "src/orders.py:42", "file:///repo/src/orders.js:42:7",
/// "C:\\src\\orders.py:42", or marginalia's "line:/app/models/order.rb:12:in". std::nullopt if
/// the comment has no place. Backslashes count as slashes. Comments are untrusted: a path that
/// leaves the repository is ignored.
///
/// A path below `in.root` becomes relative to it. If `in.has_files`, a relative path is first
/// relative to `in.working`, then to `in.root`; and an absolute path of another system, such as
/// a container ("/app/src/orders.py"), stands for the file with the longest equal end
/// ("src/orders.py"). Such an end has at least two parts, or is that of a Windows path.
[[nodiscard]] std::optional<source_place> place_in(std::string_view comment,
                                                   const repository& in = {});

/// The maximum number of places that places_of() returns.
inline constexpr std::size_t most_places = 20;

/// The different places in the source code from which the commands of one shape (a row of the
/// digest) were sent. Searches the senders' comments with place_in(), the most frequent sender
/// first, with the senders' tests. Returns the first `most_places`; empty if no comment
/// contains a place.
[[nodiscard]] std::vector<source_place> places_of(const digest::row& one,
                                                  const repository& in = {});

/// The path relative to the repository, as in source_place::path. Empty if the path leaves the
/// repository, is too long, or has characters that source_place::path doesn't allow.
[[nodiscard]] std::string path_in_repository(std::string_view path, std::string_view root);

}  // namespace scattergate::report
