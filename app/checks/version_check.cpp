#include "app/checks/version_check.hpp"

#include "routing/catalog/version_doubt.hpp"
#include "text/problem.hpp"

namespace scattergate::app {

std::vector<text::problem> check_version(const std::string& source,
                                         const config::loaded_catalog& catalog) {
  if (catalog.value == nullptr) return {};
  const auto version = catalog.value->stated_version();
  const std::string_view doubt = version ? routing::doubt_of(*version) : std::string_view{};
  if (doubt.empty()) return {};
  return {{source, "warning: version " + version->text() + " " + std::string{doubt}}};
}

}  // namespace scattergate::app
