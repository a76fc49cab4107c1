#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/admin_address.hpp"
#include "app/baseline_check.hpp"

namespace scattergate::app {

/// The flags of `report`.
struct report_flags {
  std::vector<std::string> sources;  ///< files, folders, `-`
  bool compare = false;              ///< compare the second of two sources with the first
  std::string catalog;               ///< empty: only existing verdicts are used
  std::optional<std::string> catalog_uri;
  std::optional<std::string> as;  ///< a kind of source
  std::optional<std::string> format;
  std::optional<std::string> by;            ///< the ranking of the shapes
  std::optional<std::string> top;           ///< how many of them are shown
  std::optional<std::string> since, until;  ///< a time, a day, or an age
  std::string name_space;                   ///< a glob
  std::vector<std::string> outputs;         ///< files; their names choose the format
  admin_guard_flags guard;                  ///< for daemons among the sources
  baseline_flags baseline;
};

/// Reports what scatters, from any kind of source. Returns 2 if something could not be read
/// (the rest is still reported); 1 if --fail-on says so.
[[nodiscard]] int report(const report_flags& given);

}  // namespace scattergate::app
