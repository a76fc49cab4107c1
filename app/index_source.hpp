#pragma once

#include <string>
#include <vector>

#include "advise/unique_indexes.hpp"
#include "text/problem.hpp"

namespace scattergate::app {

/// Reads what getIndexes() prints of each collection, by namespace: {"shop.orders": [{...}]},
/// as JSON or as mongosh writes it; or a list of indexes that have their `ns`.
[[nodiscard]] text::result<advise::known_indexes> read_indexes(const std::string& path);

/// Asks the cluster behind `uri` for the indexes of these collections.
[[nodiscard]] text::result<advise::known_indexes> ask_indexes(
    const std::string& uri, const std::vector<std::string>& name_spaces);

}  // namespace scattergate::app
