#pragma once

#include <string>

#include "config/driver/mongo_reader.hpp"

namespace scattergate::config {

/// Reads a cluster's catalog through a mongos, and returns the text of a catalog file with its
/// collections and chunks. Omits collections that can't be read, and names them in a comment.
[[nodiscard]] mongo_result<std::string> cluster_text(mongo_reader& from);

}  // namespace scattergate::config
