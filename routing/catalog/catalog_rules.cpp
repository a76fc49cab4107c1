#include "routing/catalog/catalog_rules.hpp"

#include <algorithm>
#include <string_view>

#include "routing/catalog/patterns.hpp"
#include "wire/limits.hpp"

namespace scattergate::routing {
namespace {

using problem = std::optional<std::string>;

constexpr std::size_t max_database_bytes = 63;  // mongo: util/namespace_string_util
constexpr std::size_t max_key_fields = 32;      // MongoDB's limit for any index, so also for a
                                                // shard key
constexpr std::string_view nul{"\0", 1};

problem namespace_problem(const collection& entry) {
  if (entry.database.empty()) return "the namespace has no database";
  if (entry.name.empty()) return "the namespace has no collection after the dot";
  if (entry.database.size() > max_database_bytes) return "the database's name is too long";
  if (entry.database.size() + 1 + entry.name.size() > wire::limits::max_namespace_bytes) {
    return "the namespace is too long";
  }
  if (entry.database.find_first_of("/\\. \"$") != std::string::npos ||
      entry.database.find(nul) != std::string::npos) {
    return "the database's name has a character that MongoDB doesn't allow";
  }
  if (entry.name.front() == '.' || entry.name.find(nul) != std::string::npos) {
    return "the collection's name has a character that MongoDB doesn't allow";
  }
  return std::nullopt;
}

problem path_problem(std::string_view path) {
  if (path.empty()) return "a shard key field has no name";
  if (path.find(nul) != path.npos) return "a shard key field's name contains a NUL byte";
  for (std::string_view rest = path;;) {
    const std::size_t dot = rest.find('.');
    const std::string_view part = rest.substr(0, dot);
    if (part.empty()) return "shard key field " + std::string{path} + " has an empty part";
    // A part of a DBRef may follow another part (mongo: db/keypattern.cpp and
    // index_key_validate.cpp, validateKeyPattern).
    const bool is_reference = part == "$id" || part == "$ref" || part == "$db";
    if (part.front() == '$' && (!is_reference || rest.data() == path.data())) {
      return "shard key field " + std::string{path} + " has a part that starts with $";
    }
    if (dot == rest.npos) return std::nullopt;
    rest.remove_prefix(dot + 1);
  }
}

/// Whether `inner` is `outer` or names a field inside it.
bool is_within(std::string_view inner, std::string_view outer) {
  return inner.starts_with(outer) &&
         (inner.size() == outer.size() || inner[outer.size()] == '.');
}

problem overlap_problem(const std::vector<key_field>& key) {
  for (std::size_t i = 0; i < key.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (key[i].path == key[j].path) return "shard key field " + key[i].path + " is doubled";
      if (is_within(key[i].path, key[j].path) || is_within(key[j].path, key[i].path)) {
        return "shard key fields " + key[j].path + " and " + key[i].path +
               " contain one another";
      }
    }
  }
  return std::nullopt;
}

/// Checks the key of a time series. It consists of fields of buckets: the meta field, which is
/// always named `meta` in buckets, and the minimum time (mongo: shardkeyutil,
/// shard_collection_legacy).
problem series_problem(const collection& entry) {
  if (!entry.series) return std::nullopt;
  const time_series& series = *entry.series;
  if (series.time_field.empty()) return "a time series needs a timeField";
  if (series.time_field.find('.') != std::string::npos) return "a timeField has no dots";
  const bool has_span = series.max_span_seconds > 0 && series.rounding_seconds > 0 &&
                        series.max_span_seconds <= time_series::longest_span;
  if (!has_span) return "a time series needs a bucketMaxSpanSeconds from 1 to 31536000";
  for (const key_field& field : entry.key) {
    if (field.path == "control.min." + series.time_field) continue;
    if (!series.meta_field.empty() && is_within(field.path, "meta")) continue;
    return "shard key field " + field.path +
           " isn't one of its buckets' fields: meta, or control.min." + series.time_field;
  }
  return std::nullopt;
}

/// Checks a view: its name is no pattern, and each of its stages is a document.
problem view_problem(const collection& entry) {
  if (!entry.is_view()) return std::nullopt;
  if (is_pattern(entry)) return "a view's namespace has no * or ?";
  if (entry.is_sharded()) return "a view can't have a shard key";
  if (entry.view_pipeline.empty()) return std::nullopt;
  const auto stages = wire::document_view::from(entry.view_pipeline);
  wire::document_reader reader{stages.value_or(wire::document_view{})};
  for (wire::element stage; reader.next(stage);) {
    if (!stage.as_document()) return "its pipeline has a stage that isn't a document";
  }
  return stages && !reader.is_corrupt() ? problem{} : "its pipeline is broken BSON";
}

problem key_problem(const collection& entry) {
  if (entry.key.size() > max_key_fields) return "the shard key has more than 32 fields";
  for (const key_field& field : entry.key) {
    if (auto wrong = path_problem(field.path)) return wrong;
  }
  if (auto wrong = overlap_problem(entry.key)) return wrong;
  const auto hashed = std::ranges::count(entry.key, true, &key_field::hashed);
  if (hashed > 1) return "the shard key has more than one hashed field";
  if (hashed > 0 && entry.unique) return "a hashed shard key can't be unique";
  if (auto wrong = view_problem(entry)) return wrong;
  return series_problem(entry);
}

}  // namespace

problem problem_of(const collection& entry) {
  auto wrong = namespace_problem(entry);
  return wrong ? wrong : key_problem(entry);
}

}  // namespace scattergate::routing
