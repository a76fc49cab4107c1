#include "wire/decompressor.hpp"

#include <cstring>
#include <new>

#include <snappy.h>
#include <zlib.h>
#include <zstd.h>

#include "wire/endian.hpp"

namespace scattergate::wire {
namespace {

bool unpack_snappy(std::span<const std::byte> payload, std::span<std::byte> body) noexcept {
  const auto* const from = reinterpret_cast<const char*>(payload.data());
  std::size_t size = 0;
  // Asked first, because RawUncompress believes what the payload says of its size. It fails
  // where bytes are left over.
  return snappy::GetUncompressedLength(from, payload.size(), &size) && size == body.size() &&
         snappy::RawUncompress(from, payload.size(), reinterpret_cast<char*>(body.data()));
}

/// Whether `payload` is one frame of today's format, whole: the formats from before 1.0, which
/// the library also reads, and with a context of their own, are nobody's.
bool is_one_zstd_frame(std::span<const std::byte> payload) noexcept {
  return payload.size() >= sizeof(std::uint32_t) &&
         load_little<std::uint32_t>(payload.data()) == ZSTD_MAGICNUMBER &&
         ZSTD_findFrameCompressedSize(payload.data(), payload.size()) == payload.size();
}

}  // namespace

struct decompressor::contexts {
  contexts() : zstd(ZSTD_createDCtx()) {
    if (zstd == nullptr) throw std::bad_alloc{};
    if (inflateInit(&zlib) != Z_OK) {
      ZSTD_freeDCtx(zstd);
      throw std::bad_alloc{};
    }
  }
  contexts(const contexts&) = delete;
  contexts& operator=(const contexts&) = delete;
  ~contexts() {
    inflateEnd(&zlib);
    ZSTD_freeDCtx(zstd);
  }

  bool unpack_zlib(std::span<const std::byte> payload, std::span<std::byte> body) noexcept {
    if (inflateReset(&zlib) != Z_OK) return false;
    zlib.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(payload.data()));
    zlib.avail_in = static_cast<uInt>(payload.size());
    zlib.next_out = reinterpret_cast<Bytef*>(body.data());
    zlib.avail_out = static_cast<uInt>(body.size());
    // Finishing in one go, zlib needs no window beside the output.
    return inflate(&zlib, Z_FINISH) == Z_STREAM_END && zlib.avail_in == 0 &&
           zlib.avail_out == 0;
  }

  bool unpack_zstd(std::span<const std::byte> payload, std::span<std::byte> body) noexcept {
    // In one go, zstd allocates nothing, whatever window the frame asks for: the output is it.
    return is_one_zstd_frame(payload) &&
           ZSTD_decompressDCtx(zstd, body.data(), body.size(), payload.data(),
                               payload.size()) == body.size();
  }

  z_stream zlib{};
  ZSTD_DCtx* zstd;
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

}  // namespace scattergate::wire
