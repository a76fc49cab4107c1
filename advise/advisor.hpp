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

/// Whether a row's commands are on this collection, or on a view of it, so that they count in
/// the advice on its key. False for collections that can't have a key of their own choice.
[[nodiscard]] bool concerns(const routing::catalog& catalog, const digest::row& row,
                            std::string_view name_space);

/// Evaluates the present key, the keys that the user named and proposed ones for each
/// collection, and ranks them. Without side effects; time is proportional to shapes and
/// complete commands, times keys.
[[nodiscard]] advice advise(const evidence& from, const question& asked);

}  // namespace scattergate::advise
