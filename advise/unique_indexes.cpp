#include "advise/unique_indexes.hpp"

#include <algorithm>

namespace scattergate::advise {
namespace {

/// Whether a unique index on `fields` is possible with this shard key (mongo:
/// shard_key_pattern.cpp, isIndexUniquenessCompatible).
bool is_possible(wire::document_view fields, const shard_key& key) {
  wire::document_reader reader{fields};
  wire::element field;
  bool is_first = true;
  for (const routing::key_field& expected : key) {
    if (!reader.next(field)) return false;
    if (is_first && field.key() == "_id") return true;
    if (field.key() != expected.path) return false;
    is_first = false;
  }
  return true;
}

/// An index's fields in order; empty if its document can't be read.
std::vector<std::string_view> fields_of(wire::document_view pattern) {
  std::vector<std::string_view> made;
  wire::document_reader reader{pattern};
  for (wire::element field; reader.next(field);) made.push_back(field.key());
  return made;
}

/// The key pattern of a unique index, such as the one on _id; std::nullopt for any other index.
std::optional<wire::document_view> unique_pattern(const index& of) {
  const auto document = wire::document_view::from(of.document);
  const auto fields = document ? wire::find_field(*document, "key") : std::nullopt;
  const auto pattern = fields ? fields->as_document() : std::nullopt;
  if (!pattern) return std::nullopt;
  const auto unique = wire::find_field(*document, "unique");
  const bool is_of_id = fields_of(*pattern) == std::vector<std::string_view>{"_id"};
  return is_of_id || (unique && unique->is_truthy()) ? pattern : std::nullopt;
}

}  // namespace

std::vector<std::string> forbidden_by(const shard_key& key, const std::vector<index>& indexes) {
  std::vector<std::string> made;
  for (const index& one : indexes) {
    const auto pattern = unique_pattern(one);
    if (!pattern || is_possible(*pattern, key)) continue;
    const auto name = wire::find_field(*wire::document_view::from(one.document), "name");
    std::string text{name ? name->as_string() : std::string_view{}};
    if (text.empty()) {
      for (const std::string_view field : fields_of(*pattern)) {
        text += (text.empty() ? "" : ", ") + std::string{field};
      }
    }
    made.push_back(std::move(text));
  }
  return made;
}

std::vector<std::vector<std::string>> fields_of_unique(const std::vector<index>& indexes) {
  std::vector<std::vector<std::string>> made;
  for (const index& one : indexes) {
    const auto pattern = unique_pattern(one);
    if (!pattern) continue;
    const auto fields = fields_of(*pattern);
    made.emplace_back(fields.begin(), fields.end());
  }
  return made;
}

bool has_unique_on(const shard_key& key, const std::vector<index>& indexes) {
  return std::ranges::any_of(indexes, [&](const index& one) {
    const auto pattern = unique_pattern(one);
    return pattern && std::ranges::equal(fields_of(*pattern), key, [](auto path, auto& field) {
             return path == field.path && !field.hashed;
           });
  });
}

}  // namespace scattergate::advise
