#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "routing/catalog.hpp"

namespace scattergate::telemetry {

/// The position of a (database, collection) label pair. 0 is `__other__`.
using namespace_id = std::uint32_t;
inline constexpr namespace_id other_namespace = 0;

/// Which (database, collection) pairs have labels of their own, up to the cap: the catalog's
/// first, others as they are admitted. A pair is never forgotten.
/// Thread-safety: any thread; a mutex, so asked only when a worker meets a pair first.
class namespace_registry {
 public:
  struct labels {
    std::string database;
    std::string collection;
  };

  explicit namespace_registry(std::size_t max_namespaces);

  /// Reserves labels for the catalog's collections, in their order.
  void add_catalog(const routing::catalog& catalog);

  [[nodiscard]] std::optional<namespace_id> find(std::string_view database,
                                                 std::string_view collection) const;

  /// The pair's id, given now if there is room; else other_namespace, which is counted.
  [[nodiscard]] namespace_id admit(std::string_view database, std::string_view collection);

  [[nodiscard]] labels labels_of(namespace_id id) const;  ///< invalid UTF-8 replaced
  [[nodiscard]] std::size_t capacity() const noexcept { return max_ + 1; }  ///< ids are below it
  [[nodiscard]] std::uint64_t overflow_count() const;

 private:
  mutable std::mutex mutex_;
  std::size_t max_;
  std::vector<labels> labels_;
  std::unordered_map<std::string, namespace_id> ids_;  // "database\0collection"
  std::uint64_t overflow_ = 0;
};

}  // namespace scattergate::telemetry
