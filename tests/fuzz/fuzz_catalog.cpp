#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/options/load.hpp"
#include "config/text/text_readers.hpp"
#include "routing/classify.hpp"
#include "tests/fuzz/require.hpp"
#include "tests/support/temporary_folder.hpp"
#include "text/json_writer.hpp"
#include "text/problem.hpp"
#include "wire/command.hpp"

/// A catalog file is either refused, every problem with its place and a reason that fits into a
/// log, or it is a catalog that commands can be judged by. The input is the file; what follows
/// a line of `%%` is the file c.jsonl next to it, for a `chunksFile: c.jsonl`.
namespace {

using scattergate::fuzz::require;
using namespace scattergate;

/// Valid UTF-8 without control characters: other texts change on their way through JSON.
bool is_printable(const std::string& text) {
  const auto is_control = [](char byte) {
    const auto code = static_cast<unsigned char>(byte);
    return code < 0x20 || code == 0x7f;
  };
  std::string json;
  text::append_json_string(json, text);
  return std::ranges::none_of(text, is_control) &&
         config::parse_json(json).value().root().text() == text;
}

/// "<file>:<line>", the line one of the text or the end behind it.
bool is_place(std::string_view where, std::string_view file, std::string_view text) {
  if (!where.starts_with(file) || where.substr(file.size(), 1) != ":") return false;
  const std::string digits{where.substr(file.size() + 1)};
  if (digits.empty() || digits.find_first_not_of("0123456789") != digits.npos) return false;
  const auto ends = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  const std::size_t line = std::stoul(digits);
  return line >= 1 && line <= ends + 1;
}

/// {"find": <collection>, "$db": <database>}
std::string find_all(const routing::collection& from) {
  const auto field = [](std::string_view name, const std::string& value) {
    const auto size = static_cast<std::uint32_t>(value.size() + 1);
    std::string bytes = "\x02" + std::string{name} + '\0';
    bytes.append(reinterpret_cast<const char*>(&size), sizeof size);
    return bytes + value + '\0';
  };
  const std::string fields = field("find", from.name) + field("$db", from.database);
  const auto size = static_cast<std::uint32_t>(fields.size() + 5);
  std::string whole{reinterpret_cast<const char*>(&size), sizeof size};
  return whole + fields + '\0';
}

/// A find without a filter goes to all of a sharded collection, and to one shard otherwise; to
/// an unknown number if the collection's metadata is unreadable.
void check_find(const routing::catalog& entries, const routing::collection& from) {
  using routing::routing_class;
  static std::vector<std::byte> block(routing::scratch_bytes);
  routing::scratch memory{block};
  const std::string body = find_all(from);
  const auto view = wire::document_view::from(std::as_bytes(std::span{body}));
  require(view.has_value());
  const auto command = wire::command_of(*view);
  require(command.has_value());
  const routing::verdict verdict = routing::classify(*command, entries, memory);
  require(!verdict.widened);
  if (from.is_unreadable) return require(verdict.routing == routing_class::unknown);
  if (from.is_view()) return;
  const auto* buckets = entries.buckets_of(from.database, from.name);
  if (buckets != nullptr) return;
  if (from.is_time_series && !from.series) {
    return require(verdict.routing == routing_class::unknown);
  }
  if (!from.is_sharded()) return require(verdict.routing == routing_class::unsharded);
  require(verdict.routing == routing_class::scatter_gather);
  require(verdict.fanout.has_value() == !from.chunks.is_empty());
  if (verdict.fanout) require(verdict.fanout->size() == from.chunks.owner_count());
}

void check_good(const config::loaded_catalog& loaded) {
  const routing::catalog& entries = *loaded.value;
  require(!entries.is_absent());
  require(std::ranges::is_sorted(entries.shards()));
  for (const routing::collection& entry : entries.collections()) {
    require(entries.find(entry.database, entry.name) == &entry);
    for (std::size_t i = 1; i < entry.chunks.size(); ++i) {
      require(std::ranges::lexicographical_compare(entry.chunks.minimum(i - 1),
                                                   entry.chunks.minimum(i)));
      require(entry.chunks.chunk_of(entry.chunks.minimum(i)) == i);
      require(entry.chunks.owner(i) < entries.shards().size());
    }
    check_find(entries, entry);
  }
  for (const config::rule& rule : loaded.rules) require(!rule.name.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const test::temporary_folder folder;
  const std::string_view whole{reinterpret_cast<const char*>(data), size};
  constexpr std::string_view mark = "\n%%\n";
  const std::size_t end = std::min(whole.find(mark), whole.size());
  const std::string_view text = whole.substr(0, end);
  const std::string_view lines = end == whole.size() ? "" : whole.substr(end + mark.size());
  // A path out of the folder could lead to a file that never ends.
  if (text.find("File") != text.npos && text.find('/') != text.npos) return 0;

  const std::string chunks = folder.write("c.jsonl", lines);
  const std::string file = folder.write("catalog.yaml", text);
  const config::loaded_catalog loaded = config::load_catalog(file);
  require((loaded.value == nullptr) == !loaded.problems.empty());
  for (const text::problem& one : loaded.problems) {
    require(is_place(one.where, file, text) || is_place(one.where, chunks, lines));
    require(!one.what.empty() && is_printable(one.what));
  }
  if (loaded.value) check_good(loaded);
  return 0;
}
