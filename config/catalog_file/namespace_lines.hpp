#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>

namespace scattergate::config {

/// Where each namespace is in a catalog file: its line number (from 1), by the namespace or
/// pattern as written. Returns an empty map if the file can't be read. Doesn't check keys and
/// chunks.
[[nodiscard]] std::map<std::string, std::size_t, std::less<>> namespace_lines(
    const std::string& file);

}  // namespace scattergate::config
