#pragma once

#include <string>

#include "config/driver/mongo_reader.hpp"

namespace scattergate::config {

/// Makes the text of a catalog file from a cluster: reads, through a mongos, which collections
/// are sharded, and where their chunks are. Omits collections that can't be read, and names
/// them in a comment of the text.
[[nodiscard]] mongo_result<std::string> cluster_text(mongo_reader& from);

}  // namespace scattergate::config
