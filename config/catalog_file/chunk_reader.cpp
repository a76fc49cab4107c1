#include "config/catalog_file/chunk_reader.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>

#include "config/text/extended_json.hpp"
#include "config/text/input.hpp"
#include "config/text/text_readers.hpp"
#include "text/printable.hpp"

namespace scattergate::config {
namespace {

/// The three parts of a chunk as they are written.
struct chunk_parts {
  std::optional<text_tree::node> min, max, shard;
};

std::string take_apart(const text_tree::node& chunk, chunk_parts& parts) {
  if (!chunk.is_map()) return "a chunk {min, max, shard} is wanted";
  for (auto at = chunk.begin(); at != chunk.end(); ++at) {
    const std::string_view key = (*at).text();
    auto& part = key == "min" ? parts.min : key == "max" ? parts.max : parts.shard;
    if (key != "min" && key != "max" && key != "shard") {
      return "unknown key " + text::in_quotes(key) + " in a chunk (known: min max shard)";
    }
    if (part) return "key " + text::in_quotes(key) + " is given twice";
    part = *++at;
  }
  if (!parts.min || !parts.max || !parts.shard) return "a chunk needs min, max and shard";
  if (!parts.min->is_map()) return "min must be a document";
  if (!parts.max->is_map()) return "max must be a document";
  if (!parts.shard->is_scalar()) return "shard must be a shard's id";
  return {};
}

}  // namespace

std::string chunk_reader::add(const text_tree::node& chunk) {
  if (chunks_++ == max_chunks) return "more than " + std::to_string(max_chunks) + " chunks";
  chunk_parts parts;
  if (std::string wrong = take_apart(chunk, parts); !wrong.empty()) return wrong;
  const bson_bytes min = bson_of(*parts.min);
  if (!min.error.empty()) return "min: " + min.error;
  const bson_bytes max = bson_of(*parts.max);
  if (!max.error.empty()) return "max: " + max.error;
  return builder_.add_chunk(min.view(), max.view(), parts.shard->text()).value_or("");
}

bool chunk_reader::read_list(const text_tree::node& chunks, problem_log& problems) {
  if (!chunks.is_list()) {
    problems.add(chunks.line(), "chunks must be a list");
    return false;
  }
  bool good = true;
  for (const text_tree::node& chunk : chunks) {
    const std::string wrong = add(chunk);
    if (wrong.empty()) continue;
    problems.add(chunk.line(), wrong);
    good = false;
    if (problems.is_full() || chunks_ > max_chunks) break;
  }
  return good;
}

bool chunk_reader::read_file(const std::string& path, std::size_t named_at,
                             problem_log& problems) {
  std::ifstream file{path, std::ios::binary};
  if (!file) {
    problems.add(named_at, "chunksFile " + text::in_quotes(path) +
                               " cannot be read: " + std::string{std::strerror(errno)});
    return false;
  }
  bool good = true;
  line_reader lines{file, max_chunk_line_bytes};
  while (!problems.is_full() && chunks_ <= max_chunks && lines.next()) {
    if (lines.is_blank()) continue;
    std::string wrong = "a line that is too long";
    if (!lines.is_too_long()) {
      const parsed_text parsed = parse_json(lines.line());
      wrong = parsed.error.empty() ? add(parsed.tree.root()) : parsed.error;
    }
    if (wrong.empty()) continue;
    problems.add_at(path + ":" + std::to_string(lines.number()), wrong);
    good = false;
  }
  if (file.bad()) {
    problems.add(named_at,
                 "chunksFile " + text::in_quotes(path) + " cannot be read to its end");
    good = false;
  }
  return good;
}

}  // namespace scattergate::config
