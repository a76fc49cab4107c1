#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "wire/namespace_view.hpp"

namespace scattergate::telemetry {

/// The ID of a namespace (a database and collection) that has metric labels of its own. Two IDs
/// are shared by many namespaces: `__other__` for namespaces beyond the limit, `__failed__` for
/// namespaces without a successful command.
using namespace_id = std::uint32_t;
inline constexpr namespace_id other_namespace = 0;    ///< the ID of `__other__`
inline constexpr namespace_id failed_namespace = 1;   ///< the ID of `__failed__`
inline constexpr namespace_id shared_namespaces = 2;  ///< number of shared IDs; greater IDs
                                                      ///< belong to one namespace each
inline constexpr std::string_view other_label = "__other__";
inline constexpr std::string_view failed_label = "__failed__";

/// The database and collection as metric labels: without invalid UTF-8 and invisible characters
/// (text::to_plain()).
struct namespace_labels {
  std::string database;
  std::string collection;

  // NOLINTNEXTLINE(google-explicit-constructor): look-ups accept either form
  operator wire::namespace_view() const noexcept { return {database, collection}; }
};

/// Hashes namespace_labels and namespace_view to the same number, so that a lookup with a view
/// doesn't allocate.
struct namespace_hash {
  using is_transparent = void;
  std::size_t operator()(const wire::namespace_view& pair) const noexcept {
    return wire::seeded_hash(pair);
  }
};
/// Compares namespace_labels and namespace_view without allocating.
struct namespace_equal {
  using is_transparent = void;
  bool operator()(const wire::namespace_view& a, const wire::namespace_view& b) const noexcept {
    return a == b;
  }
};

using namespace_map =
    std::unordered_map<namespace_labels, namespace_id, namespace_hash, namespace_equal>;

}  // namespace scattergate::telemetry
