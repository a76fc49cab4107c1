#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "routing/classify.hpp"
#include "routing/pattern/pattern.hpp"
#include "routing/shape/shape.hpp"
#include "routing/words/query_shape_hash.hpp"
#include "tests/fuzz/judging.hpp"
#include "wire/endian.hpp"
#include "wire/op_msg.hpp"

/// A message that matches the pattern of another is judged as that one was, and has its shape,
/// by our name for it and by MongoDB's. The input is the number of changes, for each the place
/// and the value of a byte, then one message, header included, whose length field is put right
/// first.
namespace {

using namespace scattergate;
using fuzz::require;
using bytes = std::vector<std::byte>;

struct judgement {
  routing::verdict verdict;           ///< without its sets of shards: they were in the scratch
  std::optional<std::size_t> shards;  ///< how many
  bool is_sent_wider = false;
  std::uint64_t shape = 0;
  std::string query_shape;
  routing::pattern like;
  bool has_pattern = false;
};

/// Nothing where no command can be read in it.
std::optional<judgement> judge(const bytes& message, const routing::catalog& entries) {
  static std::vector<std::byte> block(routing::scratch_bytes);
  static std::vector<std::byte> shape_block(routing::scratch_bytes);
  routing::scratch memory{block};
  routing::scratch shape_memory{shape_block};
  const auto header =
      wire::parse_header(std::span{message}.first<wire::limits::header_bytes>());
  if (!header || header->op != wire::opcode::msg) return std::nullopt;
  const auto parsed = wire::parse_op_msg(*header, message);
  if (!parsed) return std::nullopt;
  const auto command = wire::command_of(*parsed);
  if (!command) return std::nullopt;
  judgement made;
  made.verdict = routing::classify(*command, entries, memory);
  if (made.verdict.fanout) made.shards = made.verdict.fanout->size();
  made.is_sent_wider = made.verdict.sent_to.has_value();
  made.shape = routing::shape_hash(*command, shape_memory);
  made.query_shape = routing::query_shape_hash(*command, entries);
  made.has_pattern = routing::write_pattern(*parsed, message, made.verdict, entries, made.like);
  return made;
}

/// All that is counted and audited of a verdict, but the places of its shards.
bool are_alike(const judgement& one, const judgement& other) {
  const routing::verdict& a = one.verdict;
  const routing::verdict& b = other.verdict;
  return one.shape == other.shape && one.query_shape == other.query_shape &&
         a.command == b.command && a.routing == b.routing && a.bounds == b.bounds &&
         a.why == b.why && a.lint == b.lint && a.refused == b.refused &&
         a.database == b.database && a.collection == b.collection && a.judged == b.judged &&
         a.missing == b.missing && a.statements == b.statements && a.widened == b.widened &&
         one.shards == other.shards && one.is_sent_wider == other.is_sent_wider;
}

void check(const bytes& message, const bytes& changed, const routing::catalog& entries) {
  const auto made = judge(message, entries);
  if (!made || !made->has_pattern) return;
  require(made->like.matches(message));
  if (!made->like.matches(changed)) return;
  const auto other = judge(changed, entries);
  require(other && other->has_pattern && are_alike(*made, *other));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t change_bytes = 3;
  constexpr std::size_t header_bytes = wire::limits::header_bytes;
  const std::size_t changes = size == 0 ? 0 : data[0] % 16;
  const std::size_t begin = 1 + changes * change_bytes;
  if (size <= begin + header_bytes) return 0;
  const auto given = std::as_bytes(std::span{data + begin, size - begin});
  bytes message{given.begin(), given.end()};
  wire::store_little(message.data(), static_cast<std::int32_t>(message.size()));
  bytes changed = message;
  for (std::size_t i = 0; i < changes; ++i) {
    const std::uint8_t* const change = data + 1 + i * change_bytes;
    const std::size_t place = (change[0] | std::size_t{change[1]} << 8U);
    changed[header_bytes + place % (message.size() - header_bytes)] = std::byte{change[2]};
  }
  static const auto old_entries = fuzz::make_catalog({6, 0});
  static const auto entries = fuzz::make_catalog({8, 0});
  check(message, changed, *entries);
  check(message, changed, *old_entries);
  return 0;
}
