#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/values/value.hpp"

/// Follows dotted paths into documents and arrays, as MongoDB does.
namespace scattergate::sim {

/// The maximum number of components of a path. Bounds the depth of recursion.
inline constexpr std::size_t max_path_components = 100;

/// The components of a path such as "a.b.0"; one empty component for an empty path. Throws
/// command_failure if a dotted path has an empty component (bad_value), or if there are more
/// than max_path_components (overflow).
[[nodiscard]] std::vector<std::string> split_path(std::string_view path);

/// The array index that a path's component names: 12 for "12". std::nullopt unless the
/// component consists of at most 9 digits without a leading zero.
[[nodiscard]] std::optional<std::size_t> array_index(std::string_view component) noexcept;

/// The components of a path, from split_path().
using path_view = std::span<const std::string>;

/// Calls `visit(const value*)` for every value at `path`, starting from `at`; passes null where
/// the path is missing. Follows the path into documents that are members of arrays. Doesn't
/// visit the members of an array at the path's end. Stops and returns true if `visit` returns
/// true; returns false at the end.
template <typename Visit>
bool visit_path(const value& at, path_view path, Visit& visit);

/// Calls `visit(const value*)` for every value at `path`, starting from the document `at`.
/// Works like visit_path() for a value. REQUIRES: the path isn't empty.
template <typename Visit>
bool visit_path(const document& at, path_view path, Visit& visit) {
  const value* next = at.find(path.front());
  if (next == nullptr) return visit(static_cast<const value*>(nullptr));
  return visit_path(*next, path.subspan(1), visit);
}

template <typename Visit>
bool visit_path(const value& at, path_view path, Visit& visit) {
  if (path.empty()) return visit(&at);
  if (const auto* inner = at.as<document>()) return visit_path(*inner, path, visit);
  const auto* members = at.as<array>();
  if (members == nullptr) return visit(static_cast<const value*>(nullptr));
  if (const auto index = array_index(path.front()); index && *index < members->size()) {
    if (visit_path((*members)[*index], path.subspan(1), visit)) return true;
  }
  for (const value& member : *members) {
    const auto* inner = member.as<document>();
    if (inner != nullptr && visit_path(*inner, path, visit)) return true;
  }
  return false;
}

/// The value at a path that leads only through documents. Null if the value is missing, or if
/// the path leads through an array. For shard keys.
[[nodiscard]] const value* plain_path(const document& from, path_view path) noexcept;

/// Whether there is an array on the path or at its end.
[[nodiscard]] bool has_array_on_path(const document& from, path_view path) noexcept;

}  // namespace scattergate::sim
