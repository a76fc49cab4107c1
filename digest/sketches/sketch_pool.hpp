#pragma once

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "digest/sketches/sketch_set.hpp"

namespace scattergate::digest {

/// The sketches (statistics of field values) of several sources. A source hashes its values
/// with a key, the salt; only sketches with equal salts can be merged. If a collection has
/// sketches with several salts, find() returns those of the salt with the most requests.
class sketch_pool {
 public:
  /// Adds a source's sketches. Merges them with the sketches that have the same salt.
  void add(sketch_set of) {
    const auto same = std::ranges::find(sets_, of.salt_id(), &sketch_set::salt_id);
    same == sets_.end() ? sets_.push_back(std::move(of)) : same->add(of);
  }

  /// A collection's sketches; null if there are none. The pointer is valid until the next
  /// add().
  [[nodiscard]] const collection_sketches* find(std::string_view database,
                                                std::string_view collection) const noexcept {
    const collection_sketches* best = nullptr;
    for (const sketch_set& each : sets_) {
      const auto* const found = each.find(database, collection);
      if (found != nullptr && (best == nullptr || best->requests() < found->requests())) {
        best = found;
      }
    }
    return best;
  }

  /// Whether sketches with different salts were added.
  [[nodiscard]] bool has_several_salts() const noexcept { return sets_.size() > 1; }

 private:
  std::vector<sketch_set> sets_;
};

}  // namespace scattergate::digest
