#include "advise/shard_key.hpp"

#include <algorithm>

#include "text/json_writer.hpp"
#include "wire/label_table.hpp"

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

bool is_same_field(const routing::key_field& one, const routing::key_field& other) noexcept {
  return one.path == other.path && one.hashed == other.hashed;
}

bool is_plain_name(std::string_view path) noexcept {
  return !path.empty() && std::ranges::all_of(path, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_';
  });
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

std::string_view label(key_origin from) noexcept {
  static constexpr wire::label_table<key_origin> labels{{
      {key_origin::present, "present"},
      {key_origin::named, "named"},
      {key_origin::proposed, "proposed"},
  }};
  return labels[from];
}

std::string key_json(const shard_key& key) {
  std::string text;
  text::json_writer json{text};
  json.object();
  for (const routing::key_field& field : key) {
    field.hashed ? json.text(field.path, "hashed") : json.number(field.path, 1);
  }
  json.end();
  return text;
}

std::string key_text(const shard_key& key) {
  std::string text = "{";
  for (const routing::key_field& field : key) {
    if (text.size() > 1) text += ", ";
    if (is_plain_name(field.path)) {
      text += field.path;
    } else {
      text::append_json_string(text, field.path);
    }
    text += field.hashed ? ": \"hashed\"" : ": 1";
  }
  return text + "}";
}

bool is_same_key(const shard_key& one, const shard_key& other) noexcept {
  return std::ranges::equal(one, other, is_same_field);
}

bool is_refinement_of(const shard_key& longer, const shard_key& shorter) noexcept {
  return longer.size() > shorter.size() && !shorter.empty() &&
         std::equal(shorter.begin(), shorter.end(), longer.begin(), is_same_field);
}

bool is_same_or_parent(std::string_view one, std::string_view other) noexcept {
  if (one.size() > other.size()) std::swap(one, other);
  return other.starts_with(one) && (other.size() == one.size() || other[one.size()] == '.');
}

}  // namespace scattergate::advise
