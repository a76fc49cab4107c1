#pragma once

#include <cstdint>

#include "tests/support/walk_documents.hpp"
#include "tests/support/walk_filters.hpp"

namespace scattergate::tests {

/// Makes batches of writes for rule walks: requests that try to evade a rule against scatters
/// (see rule_walks.hpp). One statement of each batch goes to all shards of db.orders.
class walk_batches {
 public:
  walk_batches(choices& from, walk_filters& filters) noexcept
      : from_(from), filters_(filters) {}

  walk_parts batch();       ///< an update or delete command
  walk_parts bulk_write();  ///< a bulkWrite command

 private:
  static wire_tests::bytes update_of(const wire_tests::bytes& filter, bool multi);
  static wire_tests::bytes delete_of(const wire_tests::bytes& filter);
  wire_tests::bytes statement(bool is_update, const wire_tests::bytes& filter);
  wire_tests::bytes companion(bool is_update);  ///< a further statement of a batch, which
                                                ///< doesn't go to all shards or which mongos
                                                ///< rejects
  wire_tests::bytes op(std::int32_t ns, const wire_tests::bytes& filter);

  choices& from_;
  walk_filters& filters_;
};

}  // namespace scattergate::tests
