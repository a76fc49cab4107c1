#include "advise/shard_key.hpp"

#include <algorithm>

#include "text/json_writer.hpp"
#include "wire/label_table.hpp"

namespace scattergate::advise {
namespace {

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
