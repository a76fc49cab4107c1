#include "routing/bounds/field_reference.hpp"

namespace scattergate::routing {

std::optional<std::string_view> field_reference(std::string_view text) noexcept {
  for (const std::string_view start : {"$$CURRENT.", "$$ROOT."}) {
    if (text.starts_with(start)) return text.substr(start.size());
  }
  if (text.size() < 2 || text[0] != '$' || text[1] == '$') return std::nullopt;
  return text.substr(1);
}

}  // namespace scattergate::routing
