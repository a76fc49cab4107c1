#include "routing/bounds/operator_document.hpp"

namespace scattergate::routing {

bool is_operator_document(const wire::element& value) noexcept {
  const auto inner = value.as_document();
  if (!inner) return false;
  wire::document_reader reader{*inner};
  wire::element first;
  if (!reader.next(first) || !first.key().starts_with('$')) return false;
  if (first.key() == "$ref" || first.key() == "$id" || first.key() == "$db") return false;
  // A document with both of these fields is a DBRef, wherever they stand (mongo:
  // matcher/expression_parser.cpp, isDBRefDocument).
  bool has_ref = false;
  bool has_id = false;
  for (wire::element field; !(has_ref && has_id) && reader.next(field);) {
    has_ref |= field.key() == "$ref";
    has_id |= field.key() == "$id";
  }
  return !(has_ref && has_id);
}

}  // namespace scattergate::routing
