#pragma once

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/rule_walks.hpp"

namespace scattergate::tests {

/// Filters that leave in every shard of db.orders, and what they are sent to.
class walk_filters {
 public:
  explicit walk_filters(choices& from) noexcept : from_(from) {}

  /// A filter of a statement on db.orders.
  wire_tests::bytes on_orders();

  /// The field that names the command and its collection.
  wire_tests::bytes named(std::string_view name, std::string_view collection);

  /// All that on_orders() gave.
  [[nodiscard]] std::vector<wire_tests::bytes> take() { return std::move(made_); }

 private:
  wire_tests::bytes condition();
  wire_tests::bytes wide(std::size_t depth = 0);  ///< one that leaves every shard in
  wire_tests::bytes nested(std::size_t levels, std::size_t depth);

  choices& from_;
  std::vector<wire_tests::bytes> made_;
};

}  // namespace scattergate::tests
