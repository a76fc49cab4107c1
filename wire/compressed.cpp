#include "wire/compressed.hpp"

#include <algorithm>
#include <array>
#include <new>

#include <snappy.h>
#include <zlib.h>
#include <zstd.h>

#include "wire/endian.hpp"
#include "wire/label_table.hpp"
#include "wire/limits.hpp"

namespace scattergate::wire {
namespace {

constexpr std::size_t compressed_head_bytes =
    9;  // originalOpcode, uncompressedSize, compressorId
constexpr std::size_t payload_offset = limits::header_bytes + compressed_head_bytes;
constexpr auto max_body_bytes =
    static_cast<std::int32_t>(limits::max_message_bytes - limits::header_bytes);

constexpr label_table<compressor> names{{{compressor::none, "noop"},
                                         {compressor::snappy, "snappy"},
                                         {compressor::zlib, "zlib"},
                                         {compressor::zstd, "zstd"}}};

/// The error for an OP_COMPRESSED whose original opCode isn't decompressed; no error if it is.
/// Legacy writes are decompressed too, because a rule may match their namespace.
wire_errc refusal_of(opcode original) noexcept {
  switch (original) {
    case opcode::msg:
    case opcode::query:
    case opcode::reply:
    case opcode::update:
    case opcode::insert:
    case opcode::get_more:
    case opcode::delete_:
    case opcode::kill_cursors:
      return {};
    case opcode::compressed:
      return wire_errc::compressed;
  }
  return wire_errc::unexpected_opcode;
}

bool is_bomb(std::size_t claimed, std::size_t packed, std::size_t max_ratio) noexcept {
  return claimed > limits::unpack_bytes_without_ratio_check && claimed / max_ratio > packed;
}

std::size_t longest(compressor algorithm, std::size_t bytes) {
  switch (algorithm) {
    case compressor::snappy:
      return snappy::MaxCompressedLength(bytes);
    case compressor::zlib:
      return compressBound(static_cast<uLong>(bytes));
    case compressor::zstd:
      return ZSTD_compressBound(bytes);
    case compressor::none:
      break;
  }
  return bytes;
}

/// Compresses `body` into `out`, which is large enough; returns the compressed size.
std::size_t pack(std::span<const std::byte> body, compressor algorithm,
                 std::span<std::byte> out) {
  switch (algorithm) {
    case compressor::snappy: {
      std::size_t size = 0;
      snappy::RawCompress(reinterpret_cast<const char*>(body.data()), body.size(),
                          reinterpret_cast<char*>(out.data()), &size);
      return size;
    }
    case compressor::zlib: {
      auto size = static_cast<uLongf>(out.size());
      const int status = compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                                   reinterpret_cast<const Bytef*>(body.data()),
                                   static_cast<uLong>(body.size()), Z_DEFAULT_COMPRESSION);
      if (status != Z_OK) throw std::bad_alloc{};
      return size;
    }
    case compressor::zstd: {
      const std::size_t size =
          ZSTD_compress(out.data(), out.size(), body.data(), body.size(), ZSTD_CLEVEL_DEFAULT);
      if (ZSTD_isError(size) != 0) throw std::bad_alloc{};
      return size;
    }
    case compressor::none:
      break;
  }
  std::copy(body.begin(), body.end(), out.begin());
  return body.size();
}

}  // namespace

std::string_view name_of(compressor algorithm) noexcept {
  return names[algorithm];
}

std::optional<compressor> compressor_named(std::string_view name) noexcept {
  return names.find(name);
}

result<op_compressed> parse_op_compressed(const message_header& header,
                                          std::span<const std::byte> message,
                                          std::size_t max_ratio) noexcept {
  if (message.size() < payload_offset) return wire_errc::short_message;
  const std::byte* const head = message.data() + limits::header_bytes;
  const auto original = static_cast<opcode>(load_little<std::int32_t>(head));
  const auto size = load_little<std::int32_t>(head + 4);
  const auto by = std::to_integer<std::uint8_t>(head[8]);
  if (const auto error = refusal_of(original); error != wire_errc{}) return error;
  if (by >= names.rows) return wire_errc::unknown_compressor;
  if (size < 0 || size > max_body_bytes) return wire_errc::bad_compression;
  op_compressed parsed;
  parsed.payload = payload_of(message);
  if (is_bomb(static_cast<std::size_t>(size), parsed.payload.size(), max_ratio)) {
    return wire_errc::compression_ratio;
  }
  parsed.by = static_cast<compressor>(by);
  parsed.original = header;
  parsed.original.length = static_cast<std::int32_t>(limits::header_bytes) + size;
  parsed.original.op = original;
  return parsed;
}

opcode original_opcode(const message_header& header,
                       std::span<const std::byte> start) noexcept {
  constexpr std::size_t end = limits::header_bytes + sizeof(std::int32_t);
  if (header.op != opcode::compressed || start.size() < end) return header.op;
  return static_cast<opcode>(load_little<std::int32_t>(start.data() + limits::header_bytes));
}

std::size_t claimed_bytes(std::span<const std::byte> message) noexcept {
  constexpr std::size_t size_offset = limits::header_bytes + sizeof(std::int32_t);
  if (message.size() < payload_offset) return 0;
  return limits::header_bytes + load_little<std::uint32_t>(message.data() + size_offset);
}

std::span<const std::byte> payload_of(std::span<const std::byte> message) noexcept {
  return message.subspan(payload_offset);
}

std::vector<std::byte> compress(std::span<const std::byte> message, compressor algorithm) {
  const auto header = parse_header(message.first<limits::header_bytes>()).value();
  const auto body = message.subspan(limits::header_bytes);
  std::vector<std::byte> packed(payload_offset + longest(algorithm, body.size()));
  packed.resize(payload_offset +
                pack(body, algorithm, std::span{packed}.subspan(payload_offset)));
  serialize_header({static_cast<std::int32_t>(packed.size()), header.request_id,
                    header.response_to, opcode::compressed},
                   std::span{packed}.first<limits::header_bytes>());
  std::byte* const head = packed.data() + limits::header_bytes;
  store_little(head, static_cast<std::int32_t>(header.op));
  store_little(head + 4, static_cast<std::int32_t>(body.size()));
  head[8] = static_cast<std::byte>(algorithm);
  return packed;
}

}  // namespace scattergate::wire
