#include "wire/compressed.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>

#include <libdeflate.h>
#include <snappy.h>
#include <zlib.h>
#include <zstd.h>

#include "wire/endian.hpp"
#include "wire/label_table.hpp"
#include "wire/limits.hpp"

namespace scattergate::wire {
namespace {

bool unpack_snappy(std::span<const std::byte> payload, std::span<std::byte> body) noexcept {
  const auto* const from = reinterpret_cast<const char*>(payload.data());
  std::size_t size = 0;
  // Check the size first: RawUncompress trusts the size in the payload. RawUncompress fails if
  // bytes are left over.
  return snappy::GetUncompressedLength(from, payload.size(), &size) && size == body.size() &&
         snappy::RawUncompress(from, payload.size(), reinterpret_cast<char*>(body.data()));
}

/// Whether `payload` consists of whole frames of supported kinds.
bool is_of_zstd_frames(std::span<const std::byte> payload) noexcept {
  while (zstd_frame_at(payload)) {
    const std::size_t size = ZSTD_findFrameCompressedSize(payload.data(), payload.size());
    if (ZSTD_isError(size) != 0 || size > payload.size()) return false;
    payload = payload.subspan(size);
  }
  return payload.empty();
}

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

std::optional<zstd_frame> zstd_frame_at(std::span<const std::byte> bytes) noexcept {
  if (bytes.size() < sizeof(std::uint32_t)) return std::nullopt;
  const auto magic = load_little<std::uint32_t>(bytes.data());
  if (magic == ZSTD_MAGICNUMBER) return zstd_frame::data;
  const bool is_skippable = (magic & ZSTD_MAGIC_SKIPPABLE_MASK) == ZSTD_MAGIC_SKIPPABLE_START;
  return is_skippable ? std::optional{zstd_frame::skippable} : std::nullopt;
}

struct decompressor::contexts {
  struct freeing {
    void operator()(ZSTD_DCtx* context) const noexcept { ZSTD_freeDCtx(context); }
    void operator()(libdeflate_decompressor* context) const noexcept {
      libdeflate_free_decompressor(context);
    }
  };

  contexts() : zlib(libdeflate_alloc_decompressor()), zstd(ZSTD_createDCtx()) {
    if (!zlib || !zstd) throw std::bad_alloc{};
  }

  bool unpack_zlib(std::span<const std::byte> payload, std::span<std::byte> body) noexcept {
    // Like uncompress(), the _ex variant ignores bytes after the stream's end. Without a
    // pointer for the output size it succeeds only if it makes exactly body.size() bytes.
    std::size_t taken = 0;
    return libdeflate_zlib_decompress_ex(zlib.get(), payload.data(), payload.size(),
                                         body.data(), body.size(), &taken,
                                         nullptr) == LIBDEFLATE_SUCCESS;
  }

  bool unpack_zstd(std::span<const std::byte> payload, std::span<std::byte> body) noexcept {
    // When zstd decompresses in one go, it uses the output as its window, and allocates
    // nothing, whatever window the frame asks for.
    return is_of_zstd_frames(payload) &&
           ZSTD_decompressDCtx(zstd.get(), body.data(), body.size(), payload.data(),
                               payload.size()) == body.size();
  }

  std::unique_ptr<libdeflate_decompressor, freeing> zlib;
  std::unique_ptr<ZSTD_DCtx, freeing> zstd;
};

decompressor::decompressor() : contexts_(std::make_unique<contexts>()) {}
decompressor::~decompressor() = default;

result<std::span<const std::byte>> decompressor::unpack(const op_compressed& packed,
                                                        std::span<std::byte> scratch) noexcept {
  const auto size = static_cast<std::size_t>(packed.original.length);
  if (size > scratch.size()) return wire_errc::too_large;
  const auto message = scratch.first(size);
  if (!unpack_body(packed, message.subspan(limits::header_bytes))) {
    return wire_errc::bad_compression;
  }
  serialize_header(packed.original, message.first<limits::header_bytes>());
  return std::span<const std::byte>{message};
}

bool decompressor::unpack_body(const op_compressed& packed,
                               std::span<std::byte> body) noexcept {
  switch (packed.by) {
    case compressor::none:
      if (packed.payload.size() != body.size()) return false;
      std::memcpy(body.data(), packed.payload.data(), body.size());
      return true;
    case compressor::snappy:
      return unpack_snappy(packed.payload, body);
    case compressor::zlib:
      return contexts_->unpack_zlib(packed.payload, body);
    case compressor::zstd:
      return contexts_->unpack_zstd(packed.payload, body);
  }
  return false;
}

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
