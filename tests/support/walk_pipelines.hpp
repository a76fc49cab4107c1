#pragma once

#include <cstddef>
#include <vector>

#include "tests/support/walk_documents.hpp"
#include "tests/support/walk_filters.hpp"

namespace scattergate::tests {

/// Makes aggregates for rule walks: requests that try to evade a rule against scatters (see
/// rule_walks.hpp). Each aggregate asks all shards of db.orders: it runs on db.orders, or has a
/// stage that joins db.orders.
class walk_pipelines {
 public:
  walk_pipelines(choices& from, walk_filters& filters) noexcept
      : from_(from), filters_(filters) {}

  /// A random aggregate command.
  walk_parts aggregate();

 private:
  wire_tests::bytes match();
  std::vector<wire_tests::bytes> harmless_stages();
  wire_tests::bytes joining(std::size_t depth);  ///< a stage that reads all of db.orders
  wire_tests::bytes around(std::size_t depth);   ///< a stage whose sub-pipeline has joining()

  choices& from_;
  walk_filters& filters_;
};

}  // namespace scattergate::tests
