#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>

namespace scattergate::config {

/// The lines of a catalog file that name namespaces, patterns as they are written; empty where
/// the file can't be read. Its chunks and keys aren't looked at.
[[nodiscard]] std::map<std::string, std::size_t, std::less<>> namespace_lines(
    const std::string& file);

}  // namespace scattergate::config
