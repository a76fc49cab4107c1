#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "tests/fuzz/mongos_reading.hpp"
#include "tests/fuzz/require.hpp"
#include "wire/command.hpp"
#include "wire/compressed.hpp"
#include "wire/endian.hpp"
#include "wire/limits.hpp"
#include "wire/stepwise_decompressor.hpp"

/// The proxy can read every message that mongos can read, and finds the same command,
/// namespace and filter. The input is an OP_MSG, header included, behind two bytes: how it is
/// packed, and what is done to the packed bytes. Its length is set right, so that mutation
/// reaches the rest.
namespace {

using scattergate::fuzz::require;
using namespace scattergate;
using wire::wire_errc;
using bytes = std::vector<std::byte>;
using bytes_view = std::span<const std::byte>;

constexpr std::size_t scratch_bytes = 4 << 20;

bytes_view bytes_of(std::string_view text) {
  return std::as_bytes(std::span{text});
}

std::string_view text_of(bytes_view of) {
  return {reinterpret_cast<const char*>(of.data()), of.size()};
}

void set_length(bytes& message) {
  wire::store_little(message.data(), static_cast<std::int32_t>(message.size()));
}

/// Packs the message, in a way that compressors don't but mongos reads.
bytes pack(const bytes& message, unsigned how, unsigned twist) {
  const auto by = static_cast<wire::compressor>(how % 4);
  bytes packed = wire::compress(message, by);
  const auto add = [&](bytes_view more) {
    packed.insert(packed.end(), more.begin(), more.end());
  };
  constexpr std::uint32_t skippable[] = {0x184d2a53, 3};
  if (by == wire::compressor::zlib && (twist & 1U) != 0) add(bytes_of("behind the end"));
  if (by == wire::compressor::zstd && (twist & 1U) != 0) {
    const bytes empty = wire::compress(bytes(message.begin(), message.begin() + 16), by);
    add(wire::payload_of(empty));
  }
  if (by == wire::compressor::zstd && (twist & 2U) != 0) {
    add(std::as_bytes(std::span{skippable}));
    add(bytes_of("any"));
  }
  if ((twist & 4U) != 0 && packed.size() > 30) packed[25 + twist % 5] ^= std::byte{1};
  set_length(packed);
  return packed;
}

/// Whether every field at every level can be read.
bool is_sound(wire::document_view document, std::size_t level) {
  require(level <= wire::limits::inspect_depth);
  wire::document_reader reader{document};
  for (wire::element field; reader.next(field);) {
    if (!field.is_document() && !field.is_array()) continue;
    const auto nested = field.as_container();
    if (!nested || !is_sound(*nested, level + 1)) return false;
  }
  return !reader.is_corrupt();
}

/// Refusals that mongos doesn't share: they count as matched by rules.
bool is_ours_alone(wire_errc error) {
  return error == wire_errc::too_many_nodes || error == wire_errc::compression_ratio ||
         error == wire_errc::too_large;
}

bool is_same_unpacked(const wire::op_compressed& packed, bytes_view at_once) {
  bytes body(packed.body_bytes());
  wire::stepwise_decompressor steps{packed.by, body.size()};
  auto state = wire::stepwise_decompressor::state::under_way;
  while (state == wire::stepwise_decompressor::state::under_way) {
    state = steps.advance(packed.payload, body);
  }
  return state == wire::stepwise_decompressor::state::done &&
         std::ranges::equal(body, at_once.subspan(wire::limits::header_bytes));
}

/// The message, unpacked if it is packed; empty if we give it up.
bytes_view unpacked(bytes_view message, wire::message_header& header) {
  static wire::decompressor unpacker;
  static bytes scratch(scratch_bytes);
  if (header.op != wire::opcode::compressed) return message;
  const auto packed = wire::parse_op_compressed(header, message);
  if (!packed) {
    require(is_ours_alone(packed.error()));
    return {};
  }
  const auto whole = unpacker.unpack(*packed, scratch);
  if (!whole) {
    require(is_ours_alone(whole.error()));
    return {};
  }
  require(is_same_unpacked(*packed, *whole));
  header = packed->original;
  return *whole;
}

void compare(bytes_view message) {
  const auto theirs = fuzz::read_as_mongos(text_of(message));
  if (!theirs) return;
  auto header = wire::parse_header(message.first<wire::limits::header_bytes>());
  require(header.has_value());
  const bytes_view whole = unpacked(message, *header);
  if (whole.empty()) return;
  const auto ours = wire::parse_command(*header, whole);
  if (!ours) {
    require(is_ours_alone(ours.error()));
    return;
  }
  require(ours->name == theirs->command && ours->database == theirs->database);
  require(text_of(ours->body.bytes()) == theirs->body);
  const bool is_named = ours->first.is_string() && ours->name != "getMore";
  require(!is_named || ours->collection == theirs->collection);
  require(is_sound(ours->body, 0));
  auto filter = wire::find_field(ours->body, "filter");
  const auto query = wire::find_field(ours->body, "query");
  if (query && (!filter || query->key().data() < filter->key().data())) filter = query;
  require(filter.has_value() == !theirs->filter.empty());
  if (!filter) return;
  require(static_cast<char>(filter->type()) == theirs->filter.front());
  require(text_of(filter->value()) == std::string_view{theirs->filter}.substr(1));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t head = 2;
  if (size < head + wire::limits::header_bytes) return 0;
  const auto given = std::as_bytes(std::span{data, size}).subspan(head);
  bytes message(given.begin(), given.end());
  set_length(message);
  if (data[0] % 5 == 4) {
    compare(message);
    return 0;
  }
  if (!wire::parse_header(std::span{message}.first<wire::limits::header_bytes>())) return 0;
  const auto header =
      wire::parse_header(std::span{message}.first<wire::limits::header_bytes>());
  if (header->op == wire::opcode::compressed) return 0;
  compare(pack(message, data[0] % 5, data[1]));
  return 0;
}
