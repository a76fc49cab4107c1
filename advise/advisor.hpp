#pragma once

#include "advise/advice.hpp"
#include "advise/kept_commands.hpp"
#include "advise/unique_indexes.hpp"
#include "digest/table.hpp"

namespace scattergate::advise {

/// What advice is made of.
struct evidence {
  const digest::table& table;
  const routing::catalog& catalog;
  const kept_commands* whole = nullptr;  ///< whole commands beside the rows; null: none
  const known_indexes* indexes = nullptr;
  statistics_source statistics{};
  knowledge known{};
};

/// Whether a row's commands are on this collection, or on a view of it, so that they count in
/// the advice on its key. False for collections that can't have a key of their own choice.
[[nodiscard]] bool concerns(const routing::catalog& catalog, const digest::row& row,
                            std::string_view name_space);

/// Weighs the present key, those named and those proposed for each collection, and ranks them.
/// Pure; takes time by shapes and whole commands, times the keys.
[[nodiscard]] advice advise(const evidence& from, const question& asked);

}  // namespace scattergate::advise
