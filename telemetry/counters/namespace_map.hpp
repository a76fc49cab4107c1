#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "wire/seeded_hash.hpp"

namespace scattergate::telemetry {

/// The position of a (database, collection) label pair. The first two are shared: `__other__`
/// for what found no room, `__failed__` for what has earned none.
using namespace_id = std::uint32_t;
inline constexpr namespace_id other_namespace = 0;
inline constexpr namespace_id failed_namespace = 1;
inline constexpr namespace_id shared_namespaces = 2;  ///< how many ids are shared
inline constexpr std::string_view other_label = "__other__";
inline constexpr std::string_view failed_label = "__failed__";

/// A pair of labels.
struct namespace_labels {
  std::string database;
  std::string collection;
};

/// A pair of labels to look up.
struct namespace_view {
  std::string_view database;
  std::string_view collection;

  namespace_view(std::string_view db, std::string_view coll) : database(db), collection(coll) {}
  // NOLINTNEXTLINE(google-explicit-constructor): a pair is looked up by either form
  namespace_view(const namespace_labels& labels)
      : database(labels.database), collection(labels.collection) {}
};

/// Hash and equality of both forms: a look-up doesn't allocate.
struct namespace_hash {
  using is_transparent = void;
  std::size_t operator()(const namespace_view& pair) const noexcept {
    return wire::seeded_hash(pair.collection, wire::seeded_hash(pair.database));
  }
};
struct namespace_equal {
  using is_transparent = void;
  bool operator()(const namespace_view& a, const namespace_view& b) const noexcept {
    return a.collection == b.collection && a.database == b.database;
  }
};

using namespace_map =
    std::unordered_map<namespace_labels, namespace_id, namespace_hash, namespace_equal>;

}  // namespace scattergate::telemetry
