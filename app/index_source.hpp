#pragma once

#include <string>
#include <vector>

#include "advise/unique_indexes.hpp"
#include "text/problem.hpp"

namespace scattergate::app {

/// Reads indexes by namespace, as printed by getIndexes(): {"shop.orders": [{...}]}, in JSON or
/// in mongosh's syntax; or a list of indexes that have an `ns`.
[[nodiscard]] text::result<advise::known_indexes> read_indexes(const std::string& path);

/// Indexes from a cluster.
struct asked_indexes {
  advise::known_indexes found;
  std::vector<text::problem> problems;  ///< a collection's if its indexes can't be read
};

/// Reads the indexes of these collections from the cluster behind `uri`.
[[nodiscard]] asked_indexes ask_indexes(const std::string& uri,
                                        const std::vector<std::string>& name_spaces);

}  // namespace scattergate::app
