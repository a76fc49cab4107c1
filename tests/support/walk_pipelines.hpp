#pragma once

#include <cstddef>
#include <vector>

#include "tests/support/walk_documents.hpp"
#include "tests/support/walk_filters.hpp"

namespace scattergate::tests {

/// Pipelines that read all of db.orders: as their collection, or by a stage that joins it.
class walk_pipelines {
 public:
  walk_pipelines(choices& from, walk_filters& filters) noexcept
      : from_(from), filters_(filters) {}

  walk_parts aggregate();

 private:
  wire_tests::bytes match();
  std::vector<wire_tests::bytes> harmless_stages();
  wire_tests::bytes joining(std::size_t depth);  ///< a stage that reads all of orders
  wire_tests::bytes around(std::size_t depth);   ///< the same one level further down

  choices& from_;
  walk_filters& filters_;
};

}  // namespace scattergate::tests
