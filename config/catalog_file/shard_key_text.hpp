#pragma once

#include <string_view>
#include <vector>

#include "config/text/text_tree.hpp"
#include "routing/catalog/catalog.hpp"
#include "text/problem.hpp"

namespace scattergate::config {

/// Reads a shard key that is a value in a parsed catalog file: {project_id: 1, _id: hashed}.
/// Returns a problem if it is invalid.
[[nodiscard]] text::result<std::vector<routing::key_field>> read_shard_key(
    const text_tree::node& value);
/// Parses the text of a shard key in the notation of catalog files: {project_id: 1, _id:
/// hashed}. Returns a problem if it is invalid.
[[nodiscard]] text::result<std::vector<routing::key_field>> read_shard_key(
    std::string_view text);

}  // namespace scattergate::config
