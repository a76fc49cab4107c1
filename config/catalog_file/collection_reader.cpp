#include "config/catalog_file/collection_reader.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

#include "config/catalog_file/shard_key_text.hpp"
#include "config/text/extended_json.hpp"
#include "config/text/map_entries.hpp"
#include "config/text/scalars.hpp"
#include "text/printable.hpp"
#include "wire/namespace_view.hpp"

namespace scattergate::config {
namespace {

using node = text_tree::node;

constexpr std::array<std::string_view, 10> keys_of_collection = {
    "namespace",  "shardKey", "unique",   "collation", "unsplittable",
    "timeseries", "viewOn",   "pipeline", "chunks",    "chunksFile"};

constexpr std::array<std::string_view, 4> keys_of_series = {
    "timeField", "metaField", "bucketMaxSpanSeconds", "bucketRoundingSeconds"};

constexpr std::array<std::string_view, 10> keys_of_collation = {
    "locale",    "caseLevel",   "caseFirst",     "strength",  "numericOrdering",
    "alternate", "maxVariable", "normalization", "backwards", "version"};

text::result<void> read_namespace(const std::string& text, routing::collection& to) {
  const auto ns = wire::namespace_view::of(text);
  if (!ns) {
    return text::failure("namespace: expected database.collection, not " +
                         text::in_quotes(text));
  }
  to.database = ns->database;
  to.name = ns->collection;
  return {};
}

text::result<void> read_key(const node& value, routing::collection& to) {
  auto key = read_shard_key(value);
  if (!key) return key.error();
  to.key = *std::move(key);
  return {};
}

text::result<void> read_pipeline(const node& value, routing::collection& to) {
  if (!value.is_list()) return text::failure("pipeline must be a list of stages");
  auto stages = bson_of(value);
  if (!stages) return text::failure("pipeline: " + stages.error().what);
  to.view_pipeline = std::move(stages->bytes);
  return {};
}

void read_collation(const map_entry& from, routing::collection& to, problem_log& problems) {
  std::string locale;
  for (const map_entry& entry : entries_of(from.value, "collation", problems)) {
    const auto known = std::find(keys_of_collation.begin(), keys_of_collation.end(), entry.key);
    if (known == keys_of_collation.end()) {
      report_unknown(entry, "collation", {keys_of_collation.begin(), keys_of_collation.end()},
                     problems);
    } else if (entry.key == "locale") {
      static_cast<void>(read_text(entry, locale, problems));
    }
  }
  if (locale.empty()) problems.add(from.line, "a collation needs a locale");
  to.simple_collation = locale == "simple";
  if (to.simple_collation) return;
  if (auto spec = bson_of(from.value)) {
    to.default_collation = std::move(spec->bytes);
  } else {
    problems.add(from.line, "collation: " + spec.error().what);
  }
}

void read_seconds(const map_entry& entry, std::int64_t& to, problem_log& problems) {
  std::string text;
  if (!read_text(entry, text, problems)) return;
  const auto count = parse_count(text);
  if (count && *count >= 1 && *count <= routing::time_series::longest_span) {
    to = static_cast<std::int64_t>(*count);
  } else {
    problems.add(entry.line, std::string{entry.key} + " must be a number from 1 to " +
                                 std::to_string(routing::time_series::longest_span));
  }
}

/// Reads `timeseries`: `true` if the fields are unknown, otherwise the fields.
void read_series(const map_entry& from, routing::collection& to, problem_log& problems) {
  if (!from.value.is_map()) {
    static_cast<void>(read_flag(from, to.is_time_series, problems));
    return;
  }
  routing::time_series made;
  for (const map_entry& entry : entries_of(from.value, "timeseries", problems)) {
    if (entry.key == "timeField") {
      static_cast<void>(read_text(entry, made.time_field, problems));
    } else if (entry.key == "metaField") {
      static_cast<void>(read_text(entry, made.meta_field, problems));
    } else if (entry.key == "bucketMaxSpanSeconds") {
      read_seconds(entry, made.max_span_seconds, problems);
    } else if (entry.key == "bucketRoundingSeconds") {
      read_seconds(entry, made.rounding_seconds, problems);
    } else {
      report_unknown(entry, "timeseries", {keys_of_series.begin(), keys_of_series.end()},
                     problems);
    }
  }
  if (made.rounding_seconds == 0) {
    made.rounding_seconds = routing::time_series::rounding_of(made.max_span_seconds);
  }
  to.series = std::move(made);
}

}  // namespace

/// A partially read collection.
struct collection_reader::draft {
  routing::collection made;
  std::size_t line = 0;
  bool has_namespace = false;
  bool is_unsplittable = false;
  std::optional<node> chunks;
  std::string chunks_file;
  std::size_t chunks_line = 0;
};

void collection_reader::read_entry(const map_entry& entry, draft& to) {
  text::result<void> read;
  std::string text;
  if (entry.key == "namespace") {
    to.has_namespace = true;
    if (read_text(entry, text, problems_)) read = read_namespace(text, to.made);
  } else if (entry.key == "shardKey") {
    read = read_key(entry.value, to.made);
  } else if (entry.key == "unique") {
    static_cast<void>(read_flag(entry, to.made.unique, problems_));
  } else if (entry.key == "collation") {
    read_collation(entry, to.made, problems_);
  } else if (entry.key == "unsplittable") {
    static_cast<void>(read_flag(entry, to.is_unsplittable, problems_));
  } else if (entry.key == "timeseries") {
    read_series(entry, to.made, problems_);
  } else if (entry.key == "viewOn") {
    static_cast<void>(read_text(entry, to.made.view_on, problems_));
  } else if (entry.key == "pipeline") {
    read = read_pipeline(entry.value, to.made);
  } else if (entry.key == "chunks") {
    to.chunks = entry.value;
    to.chunks_line = entry.line;
  } else if (entry.key == "chunksFile") {
    static_cast<void>(read_text(entry, to.chunks_file, problems_));
    to.chunks_line = entry.line;
  } else {
    report_unknown(entry, "a collection",
                   {keys_of_collection.begin(), keys_of_collection.end()}, problems_);
  }
  if (!read) problems_.add(entry.value.line(), read.error().what);
}

void collection_reader::read_chunks(const draft& from) {
  if (from.chunks && !from.chunks_file.empty()) {
    problems_.add(from.chunks_line, "use either chunks or chunksFile, not both");
    return;
  }
  bool good = true;
  if (from.chunks) {
    good = chunks_.read_list(*from.chunks, problems_);
  } else if (!from.chunks_file.empty()) {
    const auto path = std::filesystem::path{folder_} / from.chunks_file;
    good = chunks_.read_file(path.string(), from.chunks_line, problems_);
  }
  // If some chunks are invalid, the gaps that they leave aren't reported.
  const auto wrong = builder_.finish_collection();
  if (good && wrong) problems_.add(from.chunks_line, *wrong);
}

void collection_reader::read(const node& value) {
  for (const node& one : members_of(value, "collections", problems_)) {
    draft reading;
    reading.line = one.line();
    const std::vector<map_entry> entries = entries_of(one, "a collection", problems_);
    for (const map_entry& entry : entries) read_entry(entry, reading);
    routing::collection& made = reading.made;
    if (made.database.empty() && made.name.empty()) {
      if (!reading.has_namespace) problems_.add(reading.line, "a collection needs a namespace");
      continue;
    }
    if (!made.view_pipeline.empty() && !made.is_view()) {
      problems_.add(reading.line, made.full_name() + ": a pipeline without viewOn");
    }
    // An unsplittable collection is tracked by the cluster, but is on one shard: it is routed
    // as if it had no key.
    if (reading.is_unsplittable) made.key.clear();
    if (auto wrong = builder_.add(std::move(made))) {
      problems_.add(reading.line, *wrong);
    } else if (!reading.is_unsplittable) {
      read_chunks(reading);
    }
    if (problems_.is_full()) return;
  }
}

std::span<const std::string_view> collection_keys() noexcept {
  return keys_of_collection;
}

}  // namespace scattergate::config
