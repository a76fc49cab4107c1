#include "routing/bounds/operator_document.hpp"

namespace scattergate::routing {

bool is_operator_document(const wire::element& value) noexcept {
  const auto inner = value.as_document();
  if (!inner) return false;
  wire::document_reader reader{*inner};
  wire::element first;
  if (!reader.next(first) || !first.key().starts_with('$')) return false;
  return first.key() != "$ref" && first.key() != "$id" && first.key() != "$db";
}

}  // namespace scattergate::routing
