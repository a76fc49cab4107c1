#pragma once

#include <string>
#include <vector>

#include "advise/unique_indexes.hpp"
#include "text/problem.hpp"

namespace scattergate::app {

/// Reads indexes from a file, in JSON or in mongosh's syntax: lists of indexes by namespace,
/// each as printed by getIndexes(), {"shop.orders": [{...}]}; or one list of indexes that have
/// a field `ns`.
[[nodiscard]] text::result<advise::known_indexes> read_indexes(const std::string& path);

/// Indexes read from a cluster.
struct cluster_indexes {
  advise::known_indexes found;
  std::vector<text::problem> problems;  ///< for each collection whose indexes can't be read
};

/// Reads the indexes of these collections from the cluster behind `uri`.
[[nodiscard]] cluster_indexes read_cluster_indexes(const std::string& uri,
                                                   const std::vector<std::string>& name_spaces);

}  // namespace scattergate::app
