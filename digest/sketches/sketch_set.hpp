#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "digest/sketches/collection_sketches.hpp"

namespace scattergate::digest {

/// The sketches (statistics of field values) of several collections, all hashed with one salt.
/// Keeps sketches only of the first `max_collections` collections.
class sketch_set {
 public:
  static constexpr std::size_t max_collections = 64;  ///< the maximum number of collections

  /// An empty set. `salt_id`: salt::id() of the salt by which the values are hashed.
  explicit sketch_set(std::uint64_t salt_id) : salt_id_(salt_id) {}
  sketch_set(sketch_set&&) noexcept = default;
  sketch_set& operator=(sketch_set&&) noexcept = default;

  /// salt::id() of the salt by which the values were hashed.
  [[nodiscard]] std::uint64_t salt_id() const noexcept { return salt_id_; }
  /// The number of collections.
  [[nodiscard]] std::size_t size() const noexcept { return by_name_.size(); }

  /// A collection's sketches; null if there are none.
  [[nodiscard]] collection_sketches* find(std::string_view database,
                                          std::string_view collection) noexcept;
  [[nodiscard]] const collection_sketches* find(std::string_view database,
                                                std::string_view collection) const noexcept;
  /// A collection's sketches, created if necessary; null if the set has max_collections others.
  [[nodiscard]] collection_sketches* find_or_add(std::string_view database,
                                                 std::string_view collection);

  /// All collections' sketches, sorted by name.
  [[nodiscard]] std::vector<const collection_sketches*> all() const;

  /// Merges another set. Drops collections for which this set has no room. REQUIRES: both sets
  /// have the same salt.
  void add(const sketch_set& other);

 private:
  using name = std::pair<std::string, std::string>;

  std::uint64_t salt_id_;
  std::map<name, std::unique_ptr<collection_sketches>> by_name_;
};

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
