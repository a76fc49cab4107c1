#pragma once

#include "advise/advice.hpp"
#include "advise/kept_commands.hpp"
#include "advise/shard_key.hpp"
#include "digest/table.hpp"

namespace scattergate::advise {

/// The input of the advice. Refers to objects that must outlive it.
struct evidence {
  const digest::table& table;       ///< the commands by shape
  const routing::catalog& catalog;  ///< the present shard keys
  /// A sample of the commands in `table`, with their values; null: none.
  const kept_commands* sampled_commands = nullptr;
  const known_indexes* indexes = nullptr;  ///< null: the indexes of all collections are unknown
  statistics_source statistics{};  ///< returns statistics of field values; empty: there are
                                   ///< none
  input_gaps gaps{};               ///< the known gaps of the input
};

/// Whether the advice on the collection `name_space` takes a row into account. A row has the
/// commands of one shape. They must be on the collection or on a view of it, and of a kind that
/// mongos routes by shard key. Always false for MongoDB's internal collections, for time series
/// (users can't choose their shard keys freely), and if the catalog's entry for the collection
/// is unreadable.
[[nodiscard]] bool concerns(const routing::catalog& catalog, const digest::row& row,
                            std::string_view name_space);

/// Evaluates and ranks shard keys for each collection of the question: the present key, the
/// keys that the user named, and proposed keys. A pure function. The run time for each
/// collection is proportional to keys × (shapes + sampled commands).
[[nodiscard]] advice advise(const evidence& from, const question& asked);

}  // namespace scattergate::advise
