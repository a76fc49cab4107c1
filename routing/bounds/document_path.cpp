#include "routing/bounds/document_path.hpp"

#include <algorithm>

#include "wire/work_budget.hpp"

namespace scattergate::routing {

std::optional<wire::element> find_path(wire::document_view document, std::string_view path,
                                       wire::work_budget& work) noexcept {
  for (;;) {
    const std::size_t dot = path.find('.');
    const auto found = wire::find_field(document, path.substr(0, dot), work);
    if (!found || dot == std::string_view::npos || found->is_array()) return found;
    const auto inner = found->as_document();
    if (!inner) return std::nullopt;
    document = *inner;
    path.remove_prefix(dot + 1);
  }
}

bool same_value(const wire::element& left, const wire::element& right) noexcept {
  return left.type() == right.type() && std::ranges::equal(left.value(), right.value());
}

}  // namespace scattergate::routing
