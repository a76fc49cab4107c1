#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tests/fuzz/require.hpp"
#include "wire/bson.hpp"
#include "wire/endian.hpp"
#include "wire/op_msg.hpp"
#include "wire/op_query.hpp"
#include "wire/reply_scan.hpp"

/// The reply scanner gives the same facts however a reply is cut, or read as a whole, and those
/// that a plain reading gives. The input is a byte that seeds the cuts, then one
/// message, whose length field is put right first.
namespace {

using scattergate::fuzz::require;
using namespace scattergate::wire;

/// Feeds in pieces of pseudo-random sizes from 1 to `longest`.
reply_facts scan(const message_header& header, std::span<const std::byte> payload,
                 std::size_t longest, std::uint32_t seed) {
  reply_scanner scanner;
  scanner.begin(header);
  while (!payload.empty()) {
    seed = seed * 1664525U + 1013904223U;
    const std::size_t size = std::min<std::size_t>(1 + (seed >> 16U) % longest, payload.size());
    scanner.feed(payload.first(size));
    payload = payload.subspan(size);
  }
  return scanner.facts();
}

/// The first document, where it comes first.
std::optional<document_view> first_document(const message_header& header,
                                            std::span<const std::byte> whole) {
  constexpr std::size_t kind_offset = limits::header_bytes + 4;
  if (header.op == opcode::msg) {
    const auto parsed = parse_op_msg(header, whole);
    if (!parsed || whole[kind_offset] != std::byte{0}) return std::nullopt;
    return parsed->body;
  }
  const auto parsed = parse_op_reply(header, whole);
  if (header.op != opcode::reply || !parsed || parsed->number_returned < 1) return std::nullopt;
  return document_view::first_of(parsed->documents);
}

/// False where the cursor is corrupt.
bool read_cursor(document_view cursor, reply_facts& facts) {
  document_reader reader{cursor};
  for (element field; reader.next(field);) {
    if (field.key() == "id" && field.type() == bson_type::int64) {
      facts.cursor_id = *field.as_int64();
    }
  }
  return !reader.is_corrupt();
}

/// libbson's reading of it; std::nullopt if it is corrupt.
std::optional<reply_facts> read(document_view body) {
  reply_facts facts{.readable = true};
  document_reader reader{body};
  for (element field; reader.next(field);) {
    const bool is_flag = field.type() == bson_type::boolean;
    const bool is_plain = field.is_number() && field.type() != bson_type::decimal128;
    if (field.key() == "ok" && is_flag) facts.ok = field.is_truthy();
    if (field.key() == "ok" && is_plain) facts.ok = field.as_int64() == 1;
    if (field.key() == "done" && is_flag) facts.sasl_done = field.is_truthy();
    if (field.key() == "code" && field.type() == bson_type::int32) {
      facts.code = load_little<std::int32_t>(field.value().data());
    }
    if (field.key() == "cursor" && field.is_document() &&
        !read_cursor(*field.as_document(), facts)) {
      return std::nullopt;
    }
  }
  if (reader.is_corrupt()) return std::nullopt;
  return facts;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1 + limits::header_bytes) return 0;
  const std::uint32_t seed = data[0];
  std::vector<std::byte> whole(size - 1);
  std::ranges::copy(std::as_bytes(std::span{data + 1, size - 1}), whole.begin());
  store_little(whole.data(), static_cast<std::int32_t>(whole.size()));
  const auto header = parse_header(std::span{whole}.first<limits::header_bytes>());
  if (!header) return 0;

  const auto payload = std::span{std::as_const(whole)}.subspan(limits::header_bytes);
  reply_scanner scanner;
  scanner.begin(*header);
  scanner.feed(payload);
  const reply_facts facts = scanner.facts();
  require(scan(*header, payload, 1, seed) == facts);
  require(scan(*header, payload, 9, seed) == facts);
  require(scan(*header, payload, 100, seed) == facts);

  scanner.read(*header, whole);
  if (const auto body = first_document(*header, whole)) {
    if (auto expected = read(*body)) {
      expected->more_to_come = facts.more_to_come;
      require(facts == *expected);
      require(scanner.facts() == *expected);
    }
  }
  return 0;
}
