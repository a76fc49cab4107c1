#include "routing/insert_fields.hpp"

namespace scattergate::routing {

std::vector<std::string> insert_fields(const catalog& known, std::string_view collection) {
  std::vector<std::string> names = {"_id"};
  for (const auto& listed : known.collections()) {
    if (listed.name != collection) continue;
    for (const key_field& field : listed.key) {
      names.push_back(field.path.substr(0, field.path.find('.')));
    }
  }
  return names;
}

}  // namespace scattergate::routing
