#include "wire/stepwise_decompressor.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include <zlib.h>
#include <zstd.h>

#include "wire/endian.hpp"
#include "wire/snappy_steps.hpp"

namespace scattergate::wire {
namespace {

/// A piece: so many packed bytes, or so many unpacked ones, whichever ends first.
constexpr std::size_t piece_packed = 16UL * 1024;
constexpr std::size_t piece_unpacked = 256UL * 1024;

/// What a byte costs at most, in units of about a nanosecond: packed ones where they are tables
/// for a few bytes each.
constexpr std::uint64_t units_per_packed = 70;
constexpr std::uint64_t units_per_unpacked = 6;

/// 8 MiB: compressors up to level 19 want no larger one.
constexpr int max_window_log = 23;
constexpr std::size_t zstd_bytes = (std::size_t{1} << max_window_log) + 512UL * 1024;
constexpr std::size_t zlib_bytes = 64UL * 1024;

}  // namespace

/// One message under way. How far it has come is told by offsets, as its bytes may move.
struct stepwise_decompressor::library {
  library() = default;
  virtual ~library() = default;
  library(const library&) = delete;
  library& operator=(const library&) = delete;

  [[nodiscard]] virtual state advance(std::span<const std::byte> payload,
                                      std::span<std::byte> body) noexcept = 0;

  std::size_t taken = 0;  ///< of the payload
  std::size_t made = 0;   ///< of the body

 protected:
  [[nodiscard]] std::span<const std::byte> next(std::span<const std::byte> payload) const {
    return payload.subspan(taken, std::min(piece_packed, payload.size() - taken));
  }
  [[nodiscard]] std::span<std::byte> next(std::span<std::byte> body) const {
    return body.subspan(made, std::min(piece_unpacked, body.size() - made));
  }
};

namespace {

using state = stepwise_decompressor::state;
using library = stepwise_decompressor::library;

/// "noop": as it is.
struct by_copying final : library {
  state advance(std::span<const std::byte> payload,
                std::span<std::byte> body) noexcept override {
    if (payload.size() != body.size()) return state::broken;
    const auto to = next(body);
    if (!to.empty()) std::memcpy(to.data(), payload.data() + made, to.size());
    taken = made += to.size();
    return made == body.size() ? state::done : state::under_way;
  }
};

struct by_snappy final : library {
  state advance(std::span<const std::byte> payload,
                std::span<std::byte> body) noexcept override {
    if (!steps.advance(payload, body, made + piece_unpacked)) return state::broken;
    taken = steps.taken();
    made = steps.made();
    return made == body.size() ? state::done : state::under_way;
  }
  snappy_steps steps;
};

struct by_zlib final : library {
  by_zlib() {
    if (inflateInit(&stream) != Z_OK) throw std::bad_alloc{};
  }
  ~by_zlib() override { inflateEnd(&stream); }

  state advance(std::span<const std::byte> payload,
                std::span<std::byte> body) noexcept override {
    const auto from = next(payload);
    const auto to = next(body);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(from.data()));
    stream.avail_in = static_cast<uInt>(from.size());
    stream.next_out = reinterpret_cast<Bytef*>(to.data());
    stream.avail_out = static_cast<uInt>(to.size());
    const int status = inflate(&stream, Z_NO_FLUSH);  // Z_BUF_ERROR where nothing moved
    taken += from.size() - stream.avail_in;
    made += to.size() - stream.avail_out;
    if (status == Z_OK) return state::under_way;
    const bool is_all = taken == payload.size() && made == body.size();
    return status == Z_STREAM_END && is_all ? state::done : state::broken;
  }
  z_stream stream{};
};

struct by_zstd final : library {
  by_zstd() : context(ZSTD_createDCtx()) {
    if (context == nullptr) throw std::bad_alloc{};
    ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, max_window_log);
  }
  ~by_zstd() override { ZSTD_freeDCtx(context); }

  state advance(std::span<const std::byte> payload,
                std::span<std::byte> body) noexcept override {
    if (taken == 0 && !is_of_today(payload)) return state::broken;
    const auto from = next(payload);
    const auto to = next(body);
    ZSTD_inBuffer in{from.data(), from.size(), 0};
    ZSTD_outBuffer out{to.data(), to.size(), 0};
    const std::size_t status = ZSTD_decompressStream(context, &out, &in);
    taken += in.pos;
    made += out.pos;
    if (ZSTD_isError(status) != 0) return state::broken;
    const bool is_all = taken == payload.size() && made == body.size();
    if (status == 0) return is_all ? state::done : state::broken;
    return in.pos + out.pos != 0 ? state::under_way : state::broken;
  }

  /// The formats from before 1.0, which the library also reads, are nobody's.
  static bool is_of_today(std::span<const std::byte> payload) noexcept {
    return payload.size() >= sizeof(std::uint32_t) &&
           load_little<std::uint32_t>(payload.data()) == ZSTD_MAGICNUMBER;
  }
  ZSTD_DCtx* context;
};

std::unique_ptr<library> library_of(compressor by) {
  switch (by) {
    case compressor::snappy:
      return std::make_unique<by_snappy>();
    case compressor::zlib:
      return std::make_unique<by_zlib>();
    case compressor::zstd:
      return std::make_unique<by_zstd>();
    case compressor::none:
      break;
  }
  return std::make_unique<by_copying>();
}

}  // namespace

stepwise_decompressor::stepwise_decompressor(compressor by) : library_(library_of(by)) {}
stepwise_decompressor::~stepwise_decompressor() = default;

stepwise_decompressor::state stepwise_decompressor::advance(
    std::span<const std::byte> payload, std::span<std::byte> body) noexcept {
  const std::size_t taken = library_->taken;
  const std::size_t made = library_->made;
  const state now = library_->advance(payload, body);
  cost_ = std::min(library_->taken - taken, piece_packed) * units_per_packed +
          (library_->made - made) * units_per_unpacked;
  return now;
}

std::size_t stepwise_decompressor::memory_bytes(compressor by) noexcept {
  switch (by) {
    case compressor::zlib:
      return zlib_bytes;
    case compressor::zstd:
      return zstd_bytes;
    case compressor::none:
    case compressor::snappy:
      break;
  }
  return 0;
}

}  // namespace scattergate::wire
