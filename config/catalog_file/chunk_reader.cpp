#include "config/catalog_file/chunk_reader.hpp"

#include <fstream>
#include <limits>
#include <optional>

#include "config/text/extended_json.hpp"
#include "config/text/text_readers.hpp"
#include "text/printable.hpp"

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

}  // namespace scattergate::config
