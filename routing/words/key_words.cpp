#include "routing/words/key_words.hpp"

#include <algorithm>
#include <cctype>

#include "routing/catalog/catalog.hpp"
#include "routing/catalog/catalog_rules.hpp"
#include "text/json_writer.hpp"

namespace scattergate::routing {
namespace {

constexpr std::string_view bucket_meta = "meta";
constexpr std::string_view bucket_times = "control.";

/// The time series if the command is on its measurements; null for other collections, and for
/// commands on the buckets themselves.
const time_series* series_of(const verdict& of) {
  return of.judged->series && !of.collection.starts_with(buckets_prefix) ? &*of.judged->series
                                                                         : nullptr;
}

}  // namespace

std::string ordinal(std::size_t n) {
  const std::size_t teens = n % 100;
  const bool is_teen = teens >= 11 && teens <= 13;
  const char* const ending = is_teen       ? "th"
                             : n % 10 == 1 ? "st"
                             : n % 10 == 2 ? "nd"
                             : n % 10 == 3 ? "rd"
                                           : "th";
  return std::to_string(n) + ending;
}

std::string object_key(std::string_view path) {
  const bool is_word = std::ranges::all_of(path, [](unsigned char letter) {
    return std::isalnum(letter) != 0 || letter == '_' || letter == '$';
  });
  if (is_word) return std::string{path};
  std::string quoted = "\"";
  text::append_json_inside(quoted, path);
  return quoted + '"';
}

bool is_time(const verdict& of, std::size_t field) {
  return series_of(of) != nullptr && of.judged->key[field].path.starts_with(bucket_times);
}

std::string name_for_clients(const verdict& of, std::size_t field) {
  const std::string& path = of.judged->key[field].path;
  const time_series* const series = series_of(of);
  if (series == nullptr) return path;
  if (path.starts_with(bucket_times)) return series->time_field;
  const bool is_meta = path == bucket_meta || path.starts_with(std::string{bucket_meta} + ".");
  return is_meta ? series->meta_field + path.substr(bucket_meta.size()) : path;
}

std::string placed(const verdict& of, std::size_t field) {
  const auto& key = of.judged->key;
  std::string text = name_for_clients(of, field) + " (";
  text += key.size() == 1
              ? "the shard key"
              : ordinal(field + 1) + " of " + std::to_string(key.size()) + " shard key fields";
  return text + (key[field].hashed ? ", hashed)" : ")");
}

std::string placed_all(const verdict& of, key_field_set fields) {
  std::string text;
  std::string last;
  for (std::size_t i = 0; i < of.judged->key.size(); ++i) {
    if (!fields.contains(i)) continue;
    if (!last.empty()) text += (text.empty() ? "" : ", ") + last;
    last = placed(of, i);
  }
  return text.empty() ? last : text + " and " + last;
}

}  // namespace scattergate::routing
