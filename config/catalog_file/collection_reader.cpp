#include "config/catalog_file/collection_reader.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>

#include "config/catalog_file/shard_key_text.hpp"
#include "config/text/extended_json.hpp"
#include "config/text/map_entries.hpp"
#include "config/text/scalars.hpp"
#include "config/text/text_readers.hpp"
#include "text/printable.hpp"
#include "wire/namespace_view.hpp"

namespace scattergate::config {
namespace {

/// The three parts of a chunk as written.
struct chunk_parts {
  std::optional<text_tree::node> min, max, shard;
};

text::result<chunk_parts> take_apart(const text_tree::node& chunk) {
  if (!chunk.is_map()) return text::failure("expected a chunk {min, max, shard}");
  chunk_parts parts;
  for (auto at = chunk.begin(); at != chunk.end(); ++at) {
    const std::string_view key = (*at).text();
    auto& part = key == "min" ? parts.min : key == "max" ? parts.max : parts.shard;
    if (key != "min" && key != "max" && key != "shard") {
      return text::failure("unknown key " + text::in_quotes(key) +
                           " in a chunk (known: min max shard)");
    }
    if (part) return text::failure("key " + text::in_quotes(key) + " is given twice");
    part = *++at;
  }
  if (!parts.min || !parts.max || !parts.shard) {
    return text::failure("a chunk needs min, max and shard");
  }
  if (!parts.min->is_map()) return text::failure("min must be a document");
  if (!parts.max->is_map()) return text::failure("max must be a document");
  if (!parts.shard->is_scalar()) return text::failure("shard must be a shard's id");
  return parts;
}

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

text::result<void> chunk_reader::add(const text_tree::node& chunk) {
  if (chunks_++ == max_chunks) {
    return text::failure("more than " + std::to_string(max_chunks) + " chunks");
  }
  const auto parts = take_apart(chunk);
  if (!parts) return parts.error();
  const auto min = bson_of(*parts->min);
  if (!min) return text::failure("min: " + min.error().what);
  const auto max = bson_of(*parts->max);
  if (!max) return text::failure("max: " + max.error().what);
  auto wrong = builder_.add_chunk(min->view(), max->view(), parts->shard->text());
  if (wrong) return text::failure(*std::move(wrong));
  return {};
}

text::result<void> chunk_reader::add_line(const line_reader& from) {
  if (from.is_too_long()) return text::failure("a line is too long");
  const auto parsed = parse_json(from.line());
  if (!parsed) return text::failure(parsed.error().what);
  return add(parsed->root());
}

bool chunk_reader::read_list(const text_tree::node& chunks, problem_log& problems) {
  if (!chunks.is_list()) {
    problems.add(chunks.line(), "chunks must be a list");
    return false;
  }
  const std::size_t before = chunks_;
  bool good = true;
  for (const text_tree::node& chunk : chunks) {
    const auto added = add(chunk);
    if (added) continue;
    problems.add(chunk.line(), added.error().what);
    good = false;
    if (problems.is_full() || chunks_ > max_chunks) break;
  }
  if (!good) chunks_ = before;
  return good;
}

bool chunk_reader::read_file(const std::string& path, std::size_t named_at,
                             problem_log& problems) {
  if (const auto checked = check_readable(path, std::numeric_limits<std::size_t>::max());
      !checked) {
    problems.add(named_at, "chunksFile " + text::in_quotes(path) + " " + checked.error().what);
    return false;
  }
  std::ifstream file{path, std::ios::binary};
  const std::size_t before = chunks_;
  bool good = true;
  line_reader lines{file, max_chunk_line_bytes};
  while (!problems.is_full() && chunks_ <= max_chunks && lines.next()) {
    if (lines.is_blank()) continue;
    const auto added = add_line(lines);
    if (added) continue;
    problems.add_at(path + ":" + std::to_string(lines.number()), added.error().what);
    good = false;
  }
  if (file.bad() || !file.is_open()) {
    problems.add(named_at,
                 "chunksFile " + text::in_quotes(path) + " could not be read to its end");
    good = false;
  }
  if (!good) chunks_ = before;
  return good;
}

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

void collection_reader::read_entry(const map_entry& entry, draft& to, problem_log& found) {
  text::result<void> read;
  std::string text;
  if (entry.key == "namespace") {
    to.has_namespace = true;
    if (read_text(entry, text, found)) read = read_namespace(text, to.made);
  } else if (entry.key == "shardKey") {
    read = read_key(entry.value, to.made);
  } else if (entry.key == "unique") {
    static_cast<void>(read_flag(entry, to.made.unique, found));
  } else if (entry.key == "collation") {
    read_collation(entry, to.made, found);
  } else if (entry.key == "unsplittable") {
    static_cast<void>(read_flag(entry, to.is_unsplittable, found));
  } else if (entry.key == "timeseries") {
    read_series(entry, to.made, found);
  } else if (entry.key == "viewOn") {
    static_cast<void>(read_text(entry, to.made.view_on, found));
  } else if (entry.key == "pipeline") {
    read = read_pipeline(entry.value, to.made);
  } else if (entry.key == "chunks") {
    to.chunks = entry.value;
    to.chunks_line = entry.line;
  } else if (entry.key == "chunksFile") {
    static_cast<void>(read_text(entry, to.chunks_file, found));
    to.chunks_line = entry.line;
  } else {
    report_unknown(entry, "a collection", {collection_keys().begin(), collection_keys().end()},
                   found);
  }
  if (!read) found.add(entry.value.line(), read.error().what);
}

void collection_reader::read_chunks(const draft& from, problem_log& found) {
  if (from.chunks && !from.chunks_file.empty()) {
    found.add(from.chunks_line, "use either chunks or chunksFile, not both");
  } else if (from.chunks) {
    static_cast<void>(chunks_.read_list(*from.chunks, found));
  } else if (!from.chunks_file.empty()) {
    const auto path = std::filesystem::path{folder_} / from.chunks_file;
    problems_.note_file(path.string());
    static_cast<void>(chunks_.read_file(path.string(), from.chunks_line, found));
  }
  // If some chunks are invalid, the gaps that they leave aren't reported.
  const auto wrong = builder_.finish_collection();
  if (found.is_empty() && wrong) found.add(from.chunks_line, *wrong);
}

/// Adds the collection to the catalog, unless a problem was or is found.
void collection_reader::add(draft& from, problem_log& found) {
  routing::collection& made = from.made;
  if (!from.has_namespace) found.add(from.line, "a collection needs a namespace");
  if (!made.view_pipeline.empty() && !made.is_view()) {
    found.add(from.line, "a pipeline without viewOn");
  }
  if (!found.is_empty()) return;
  // An unsplittable collection is tracked by the cluster, but is on one shard: it is routed
  // as if it had no key.
  if (from.is_unsplittable) made.key.clear();
  if (auto wrong = builder_.add(made)) {
    found.add(from.line, *wrong);
  } else if (!from.is_unsplittable) {
    read_chunks(from, found);
  }
}

void collection_reader::read_one(const node& value) {
  problem_log found{problems_.file()};
  draft reading;
  reading.line = value.line();
  const std::vector<map_entry> entries = entries_of(value, "a collection", found);
  for (const map_entry& entry : entries) read_entry(entry, reading, found);
  add(reading, found);
  if (found.is_empty()) return;
  const std::size_t others = found.size() - 1;
  text::problem why = std::move(found.take().front());
  if (others != 0) why.what += " (and " + std::to_string(others) + " more)";
  builder_.add_unreadable(reading.made, std::move(why));
}

void collection_reader::read(const node& value) {
  for (const node& one : members_of(value, "collections", problems_)) read_one(one);
}

std::span<const std::string_view> collection_keys() noexcept {
  return keys_of_collection;
}

}  // namespace scattergate::config
