#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "routing/catalog.hpp"
#include "telemetry/namespace_map.hpp"

namespace scattergate::telemetry {

/// Which (database, collection) pairs have labels of their own, up to the cap: the catalog's
/// first, others as they are admitted. A pair is never forgotten. Labels are valid UTF-8: names
/// that aren't are replaced first, so that two of them can't become one series twice.
/// Thread-safety: any thread; a mutex, so asked only when a worker meets a pair first.
class namespace_registry {
 public:
  using labels = namespace_labels;

  /// The longest "db.collection" that MongoDB allows; longer ones get no label.
  static constexpr std::size_t max_name_bytes = 255;

  explicit namespace_registry(std::size_t max_namespaces);

  /// Reserves labels for the catalog's collections, in their order, while there is room.
  void add_catalog(const routing::catalog& catalog);

  [[nodiscard]] std::optional<namespace_id> find(std::string_view database,
                                                 std::string_view collection) const;

  /// The pair's id, given now if there is room; else other_namespace, which is counted.
  [[nodiscard]] namespace_id admit(std::string_view database, std::string_view collection);

  [[nodiscard]] labels labels_of(namespace_id id) const;
  [[nodiscard]] std::size_t capacity() const noexcept {
    return max_ + 1;
  }  ///< ids are below it
  [[nodiscard]] std::uint64_t overflow_count() const;

  /// How many ids have been given, `__other__` included. Only grows: who saw this many pairs
  /// needn't ask again until it changes. No lock.
  [[nodiscard]] std::size_t size() const noexcept {
    return size_.load(std::memory_order_acquire);
  }

  /// The labels of the ids from `first` on, in order.
  [[nodiscard]] std::vector<labels> labels_from(namespace_id first) const;

 private:
  [[nodiscard]] std::optional<namespace_id> insert(namespace_labels pair);

  mutable std::mutex mutex_;
  std::size_t max_;
  std::vector<labels> labels_;
  namespace_map ids_;
  std::uint64_t overflow_ = 0;
  std::atomic<std::size_t> size_{0};
};

}  // namespace scattergate::telemetry
