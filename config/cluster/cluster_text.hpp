#pragma once

#include <string>

#include "config/driver/mongo_reader.hpp"

namespace scattergate::config {

/// A cluster's catalog as a catalog file, chunks included, read at once through a mongos. What
/// can't be read is left out, and said so in a comment.
[[nodiscard]] mongo_result<std::string> cluster_text(mongo_reader& from);

}  // namespace scattergate::config
