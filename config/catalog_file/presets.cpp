#include <algorithm>

#include "config/catalog_file/preset_table.hpp"
#include "config/options/load.hpp"

namespace scattergate::config {

std::string_view preset_text(std::string_view name) {
  for (const preset& one : presets()) {
    if (one.name == name) return one.text;
  }
  return {};
}

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const preset& one : presets()) names.emplace_back(one.name);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace scattergate::config
