#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "routing/catalog/catalog.hpp"

/// Random shard keys, chunk layouts, documents and filters, to compare routing's predictions
/// with plain_matcher. All are JSON for bson_of().
namespace scattergate::tests {

/// One sharded collection, db.c, with random documents and filters. The same seed gives the
/// same random data.
class random_world {
 public:
  explicit random_world(std::uint32_t seed);

  /// The catalog with db.c, as JSON for routing_tests::catalog_of().
  [[nodiscard]] const std::string& catalog_json() const noexcept { return catalog_; }

  /// A document for every combination of values of the shard key's fields, including missing
  /// fields. In a 4.4 catalog, no document has MaxKey in every field of the key. The other
  /// field `x` has a random value.
  [[nodiscard]] std::vector<std::string> documents();

  /// A random filter on the shard key's fields and others, possibly nested.
  [[nodiscard]] std::string filter();

 private:
  [[nodiscard]] std::size_t below(std::size_t bound);
  [[nodiscard]] const std::string& value();
  [[nodiscard]] const std::string& scalar();
  [[nodiscard]] std::string path();
  [[nodiscard]] std::string list();
  [[nodiscard]] std::string comparison();
  [[nodiscard]] std::string condition(int depth);
  [[nodiscard]] std::string predicate();
  [[nodiscard]] std::string expression(int depth);
  [[nodiscard]] std::string tree(int depth);
  [[nodiscard]] std::string conjunction(int depth);
  void make_catalog();

  std::mt19937 random_;
  std::vector<std::string> key_;  ///< the paths of the shard key's fields
  std::string catalog_;
  bool takes_max_key_ = true;  ///< false for 4.4, whose mongos finds no chunk if all fields of
                               ///< the key are MaxKey
};

}  // namespace scattergate::tests
