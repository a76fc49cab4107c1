#pragma once

#include <string>
#include <vector>

#include "advise/unique_indexes.hpp"
#include "text/problem.hpp"

namespace scattergate::app {

/// Reads the indexes of collections from a file, in JSON or in mongosh's syntax. The file has
/// one of two forms:
/// - the output of getIndexes() for each namespace: {"shop.orders": [{...}]}
/// - one list of indexes, each with its namespace in the field `ns`: [{ns: "shop.orders", ...}]
///
/// Returns a problem if the file can't be read or is invalid.
[[nodiscard]] text::result<advise::known_indexes> read_indexes(const std::string& path);

/// Indexes read from a cluster.
struct cluster_indexes {
  advise::known_indexes found;
  std::vector<text::problem> problems;  ///< one for each collection whose indexes can't be
                                        ///< read, or only one if the connection string is
                                        ///< invalid
};

/// Reads the indexes of these collections ("db.collection") from the cluster behind the
/// connection string `uri`.
[[nodiscard]] cluster_indexes read_cluster_indexes(const std::string& uri,
                                                   const std::vector<std::string>& name_spaces);

}  // namespace scattergate::app
