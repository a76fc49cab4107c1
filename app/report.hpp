#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/admin_address.hpp"
#include "app/baseline_check.hpp"

namespace scattergate::app {

/// What `report` was asked for.
struct report_flags {
  std::vector<std::string> sources;  ///< files, folders, `-`
  bool compare = false;              ///< the second of two sources with the first
  std::string catalog;               ///< empty: nothing is judged that isn't yet
  std::optional<std::string> catalog_uri;
  std::optional<std::string> as;  ///< a kind of source
  std::optional<std::string> format;
  std::optional<std::string> by;            ///< what the shapes are ranked by
  std::optional<std::string> top;           ///< how many of them are told
  std::optional<std::string> since, until;  ///< a time, a day, or how long ago
  std::string name_space;                   ///< a glob
  std::vector<std::string> outputs;         ///< files; their names choose the format
  admin_guard_flags guard;                  ///< of daemons among the sources
  baseline_flags baseline;
};

/// Tells what scatters, from whatever there is. 2 where something could not be read; what could
/// be is still reported. 1 where --fail-on says so.
[[nodiscard]] int report(const report_flags& given);

}  // namespace scattergate::app
