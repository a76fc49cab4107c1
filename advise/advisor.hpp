#pragma once

#include "advise/advice.hpp"
#include "advise/kept_commands.hpp"
#include "advise/unique_indexes.hpp"
#include "digest/table.hpp"

namespace scattergate::advise {

/// The input of the advice. Refers to objects that must outlive it.
struct evidence {
  const digest::table& table;       ///< the commands by shape
  const routing::catalog& catalog;  ///< the present shard keys
  /// A sample of these commands with values; null: none.
  const kept_commands* sampled_commands = nullptr;
  const known_indexes* indexes = nullptr;  ///< null: the indexes of all collections are unknown
  statistics_source statistics{};          ///< empty: there are no sketches
  knowledge known{};
};

/// Whether the advice on the collection `name_space` takes a row's commands into account: they
/// are on the collection, or on a view of it. False if users can't choose the collection's
/// shard key: for MongoDB's internal collections and for time series.
[[nodiscard]] bool concerns(const routing::catalog& catalog, const digest::row& row,
                            std::string_view name_space);

/// Evaluates and ranks shard keys for each collection: the present key, the keys that the user
/// named, and proposed ones. A pure function. For each collection, its run time is proportional
/// to keys × (shapes + sampled commands).
[[nodiscard]] advice advise(const evidence& from, const question& asked);

}  // namespace scattergate::advise
