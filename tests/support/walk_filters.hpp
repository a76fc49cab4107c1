#pragma once

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/rule_walks.hpp"

namespace scattergate::tests {

/// Makes filters for rule walks: requests that try to evade a rule against scatters (see
/// rule_walks.hpp). No filter excludes a shard of db.orders.
class walk_filters {
 public:
  explicit walk_filters(choices& from) noexcept : from_(from) {}

  /// Makes a filter for a statement on db.orders, and remembers it for take().
  wire_tests::bytes on_orders();

  /// Builds a command's first field, such as `find: "orders"`. `name`: the command's name.
  wire_tests::bytes named(std::string_view name, std::string_view collection);

  /// Returns and forgets all filters that on_orders() has made.
  [[nodiscard]] std::vector<wire_tests::bytes> take() { return std::move(made_); }

 private:
  wire_tests::bytes condition();
  wire_tests::bytes wide(std::size_t depth = 0);  ///< a filter that excludes no shard
  wire_tests::bytes nested(std::size_t levels, std::size_t depth);

  choices& from_;
  std::vector<wire_tests::bytes> made_;
};

}  // namespace scattergate::tests
