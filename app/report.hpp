#pragma once

#include <optional>
#include <string>
#include <vector>

namespace scattergate::app {

/// What `report` was asked for.
struct report_flags {
  std::vector<std::string> sources;  ///< files, folders, `-`
  std::string catalog;
  std::optional<std::string> catalog_uri;
  std::optional<std::string> as;  ///< a kind of source
  std::optional<std::string> format;
  std::vector<std::string> outputs;  ///< files; their names choose the format
};

/// Tells what scatters, from whatever there is. 2 where something could not be read; what could
/// be is still reported.
[[nodiscard]] int report(const report_flags& given);

}  // namespace scattergate::app
