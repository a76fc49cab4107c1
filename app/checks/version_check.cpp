#include "app/checks/version_check.hpp"

#include <algorithm>

#include "routing/catalog/version_doubt.hpp"
#include "text/problem.hpp"

namespace scattergate::app {

std::vector<text::problem> check_version(const std::string& source,
                                         const config::loaded_catalog& catalog) {
  if (catalog.value == nullptr || config::preset_name(source)) return {};
  const auto version = catalog.value->stated_version();
  if (!version) return {};
  std::vector<text::problem> found;
  const auto add = [&](std::string_view doubt) {
    if (doubt.empty()) return;
    found.push_back({source, "warning: version " + version->text() + " " + std::string{doubt}});
  };
  add(routing::doubt_of(*version));
  if (std::ranges::any_of(catalog.value->collections(), &routing::collection::is_time_series)) {
    add(routing::doubt_of_series(*version));
  }
  return found;
}

}  // namespace scattergate::app
