#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "routing/catalog/catalog.hpp"

/// Random shard keys, chunk layouts, documents and filters, as JSON for bson_of(). The same
/// seed makes the same world.
namespace scattergate::tests {

/// One sharded collection, db.c.
class random_world {
 public:
  explicit random_world(std::uint32_t seed);

  [[nodiscard]] const std::string& catalog_json() const noexcept { return catalog_; }

  /// Every combination of values that the key fields can have here, missing ones included,
  /// each with one of the other fields' values.
  [[nodiscard]] std::vector<std::string> documents();

  /// A filter of some depth over the key fields and others.
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
  std::vector<std::string> key_;  ///< paths
  std::string catalog_;
  bool takes_max_key_ = true;  ///< a mongos of 4.4 finds no chunk for a key of nothing else
};

}  // namespace scattergate::tests
