#include "advise/unique_indexes.hpp"

namespace scattergate::advise {
namespace {

/// mongo: shard_key_pattern.cpp, isIndexUniquenessCompatible.
bool is_possible(wire::document_view fields, const shard_key& key) {
  wire::document_reader reader{fields};
  wire::element field;
  bool is_first = true;
  for (const routing::key_field& wanted : key) {
    if (!reader.next(field)) return false;
    if (is_first && field.key() == "_id") return true;
    if (field.key() != wanted.path) return false;
    is_first = false;
  }
  return true;
}

}  // namespace

std::vector<std::string> forbidden_by(const shard_key& key, const std::vector<index>& indexes) {
  std::vector<std::string> made;
  for (const index& one : indexes) {
    const auto document = wire::document_view::from(one.document);
    if (!document) continue;
    const auto unique = wire::find_field(*document, "unique");
    const auto fields = wire::find_field(*document, "key");
    const auto pattern = fields ? fields->as_document() : std::nullopt;
    if (!unique || !unique->is_truthy() || !pattern || is_possible(*pattern, key)) continue;
    const auto name = wire::find_field(*document, "name");
    std::string text{name ? name->as_string() : std::string_view{}};
    if (text.empty()) {
      wire::document_reader reader{*pattern};
      for (wire::element field; reader.next(field);) {
        text += (text.empty() ? "" : ", ") + std::string{field.key()};
      }
    }
    made.push_back(std::move(text));
  }
  return made;
}

}  // namespace scattergate::advise
