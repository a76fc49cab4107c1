#pragma once

#include "advise/advice.hpp"
#include "advise/kept_commands.hpp"
#include "advise/unique_indexes.hpp"
#include "digest/table.hpp"

namespace scattergate::advise {

/// The input of the advice.
struct evidence {
  const digest::table& table;
  const routing::catalog& catalog;
  const kept_commands* whole = nullptr;  ///< complete commands besides the rows; null: none
  const known_indexes* indexes = nullptr;
  statistics_source statistics{};
  knowledge known{};
};

/// Whether the advice on this collection's key counts a row's commands: they are on the
/// collection, or on a view of it. False for collections whose shard key users can't choose.
[[nodiscard]] bool concerns(const routing::catalog& catalog, const digest::row& row,
                            std::string_view name_space);

/// Evaluates and ranks shard keys for each collection: the present key, the keys that the user
/// named, and proposed ones. A pure function; its run time is proportional to keys × (shapes +
/// complete commands).
[[nodiscard]] advice advise(const evidence& from, const question& asked);

}  // namespace scattergate::advise
