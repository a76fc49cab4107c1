#include "wire/decompressor.hpp"

#include <cstring>
#include <new>

#include <libdeflate.h>
#include <snappy.h>
#include <zstd.h>

#include "wire/zstd_frame.hpp"

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

}  // namespace

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

}  // namespace scattergate::wire
