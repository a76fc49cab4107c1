#include "wire/stepwise_decompressor.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>

#include <zlib.h>
#include <zstd.h>

#include "wire/compressed.hpp"

namespace scattergate::wire {
namespace {

/// Decompresses one snappy payload in steps (google/snappy: format_description.txt). The snappy
/// library can decompress only in a single call, which takes about 100 ms for 48 MB.
/// Thread-safety: one thread at a time.
class snappy_steps {
 public:
  /// Does one step: continues until about `until` bytes have been decompressed in total, or
  /// until the end. In each call, pass all compressed bytes as `packed`, and the whole output
  /// buffer as `body`. Returns false if `packed` is invalid or doesn't decompress to exactly
  /// body.size() bytes.
  [[nodiscard]] bool advance(std::span<const std::byte> packed, std::span<std::byte> body,
                             std::size_t until) noexcept;

  /// The number of bytes decompressed so far.
  [[nodiscard]] std::size_t made() const noexcept { return made_; }
  /// The number of compressed bytes read so far.
  [[nodiscard]] std::size_t taken() const noexcept { return at_; }

 private:
  using bytes_view = std::span<const std::byte>;
  [[nodiscard]] bool take_size(bytes_view packed, std::size_t expected) noexcept;
  [[nodiscard]] bool take_number(bytes_view packed, std::size_t bytes,
                                 std::size_t& number) noexcept;
  [[nodiscard]] bool take_literal(std::size_t tag, bytes_view packed,
                                  std::span<std::byte> body) noexcept;
  [[nodiscard]] bool take_copy(std::size_t tag, bytes_view packed,
                               std::span<std::byte> body) noexcept;

  std::size_t at_ = 0;
  std::size_t made_ = 0;
};

constexpr std::size_t longest_short_literal = 60;

bool snappy_steps::advance(bytes_view packed, std::span<std::byte> body,
                           std::size_t until) noexcept {
  if (at_ == 0 && !take_size(packed, body.size())) return false;
  const std::size_t stop = std::min(until, body.size());
  while (made_ < stop) {
    std::size_t tag = 0;
    if (!take_number(packed, 1, tag)) return false;
    const bool is_good =
        (tag & 3U) == 0 ? take_literal(tag, packed, body) : take_copy(tag, packed, body);
    if (!is_good) return false;
  }
  return made_ < body.size() || at_ == packed.size();
}

/// The uncompressed size comes first, seven bits per byte.
bool snappy_steps::take_size(bytes_view packed, std::size_t expected) noexcept {
  std::size_t size = 0;
  for (unsigned shift = 0; shift < 35; shift += 7) {
    std::size_t part = 0;
    if (!take_number(packed, 1, part)) return false;
    size |= (part & 0x7fU) << shift;
    if (part < 0x80U) return size == expected;
  }
  return false;
}

bool snappy_steps::take_number(bytes_view packed, std::size_t bytes,
                               std::size_t& number) noexcept {
  if (packed.size() - at_ < bytes) return false;
  std::uint32_t little = 0;
  std::memcpy(&little, packed.data() + at_, bytes);
  at_ += bytes;
  number = little;
  return true;
}

bool snappy_steps::take_literal(std::size_t tag, bytes_view packed,
                                std::span<std::byte> body) noexcept {
  std::size_t size = tag >> 2U;
  if (size >= longest_short_literal &&
      !take_number(packed, size - longest_short_literal + 1, size)) {
    return false;
  }
  ++size;
  if (size > packed.size() - at_ || size > body.size() - made_) return false;
  std::memcpy(body.data() + made_, packed.data() + at_, size);
  at_ += size;
  made_ += size;
  return true;
}

bool snappy_steps::take_copy(std::size_t tag, bytes_view packed,
                             std::span<std::byte> body) noexcept {
  const std::size_t kind = tag & 3U;
  std::size_t offset = 0;
  if (!take_number(packed, kind == 3 ? 4 : kind, offset)) return false;
  std::size_t size = (tag >> 2U) + 1;
  if (kind == 1) {
    size = ((tag >> 2U) & 7U) + 4;
    offset |= (tag >> 5U) << 8U;
  }
  if (offset == 0 || offset > made_ || size > body.size() - made_) return false;
  std::byte* const to = body.data() + made_;
  const std::byte* const from = to - offset;
  if (offset >= size) {
    std::memcpy(to, from, size);
  } else {  // source and target overlap: the copy repeats its own output
    for (std::size_t i = 0; i < size; ++i) to[i] = from[i];
  }
  made_ += size;
  return true;
}

/// A step ends after this many compressed or this many decompressed bytes, whichever comes
/// first.
constexpr std::size_t piece_packed = 16UL * 1024;
constexpr std::size_t piece_unpacked = 256UL * 1024;

/// The maximum cost of a byte, in units of about a nanosecond. Compressed bytes cost most if
/// they are zlib decoding tables for a few bytes each.
constexpr std::uint64_t units_per_packed = 70;
constexpr std::uint64_t units_per_unpacked = 6;

constexpr std::size_t zlib_bytes = 64UL * 1024;
constexpr std::size_t zstd_bytes = 512UL * 1024;  // apart from the window

/// The smallest zstd window that holds any reference within a body of this size: between 128
/// KiB, the largest block (RFC 8878, 3.1.1.2.4), and 64 MiB, more than any message.
unsigned window_log_for(std::size_t body_bytes) noexcept {
  return std::clamp(static_cast<unsigned>(std::bit_width(body_bytes)), 17U, 26U);
}

}  // namespace

/// One message being decompressed. Progress is kept as offsets, because the buffers may move.
struct stepwise_decompressor::library {
  library() = default;
  virtual ~library() = default;
  library(const library&) = delete;
  library& operator=(const library&) = delete;

  [[nodiscard]] virtual state advance(std::span<const std::byte> payload,
                                      std::span<std::byte> body) noexcept = 0;

  std::size_t taken = 0;  ///< bytes of the payload read
  std::size_t made = 0;   ///< bytes of the body written

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

/// "noop": copies the payload.
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
    const int status = inflate(&stream, Z_NO_FLUSH);  // Z_BUF_ERROR if nothing moved
    taken += from.size() - stream.avail_in;
    made += to.size() - stream.avail_out;
    if (status == Z_OK) return state::under_way;
    // mongos calls uncompress(), which ignores what follows the stream's end.
    return status == Z_STREAM_END && made == body.size() ? state::done : state::broken;
  }
  z_stream stream{};
};

/// Reads one frame after another, including skippable frames, as ZSTD_decompress() does.
struct by_zstd final : library {
  explicit by_zstd(std::size_t body_bytes)
      : context(ZSTD_createDCtx()), window_log(window_log_for(body_bytes)) {
    if (context == nullptr) throw std::bad_alloc{};
    ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, static_cast<int>(window_log));
  }
  ~by_zstd() override { ZSTD_freeDCtx(context); }

  state advance(std::span<const std::byte> payload,
                std::span<std::byte> body) noexcept override {
    if (is_at_frame && taken == payload.size()) {
      return made == body.size() ? state::done : state::broken;
    }
    const std::size_t taken_before = taken;
    if (is_at_frame && !begin_frame(payload.subspan(taken))) return state::broken;
    const auto to = next(body);
    ZSTD_outBuffer out{to.data(), to.size(), 0};
    const auto status = feed(next(payload), out);
    made += out.pos;
    if (ZSTD_isError(status) != 0) return state::broken;
    is_at_frame = status == 0;
    const bool has_moved = is_at_frame || taken != taken_before || out.pos != 0;
    return has_moved ? state::under_way : state::broken;
  }

 private:
  static constexpr std::size_t descriptor_at = sizeof(std::uint32_t);
  static constexpr std::size_t window_at = descriptor_at + 1;

  /// Feeds a frame's magic number, descriptor and window (RFC 8878, 3.1.1.1), with the window
  /// reduced to the body's size. Otherwise the library would allocate the window that the frame
  /// claims, up to 2 GiB. A larger window isn't an error: ZSTD_decompress() needs no window.
  /// False if no supported frame begins here.
  bool begin_frame(std::span<const std::byte> frame) noexcept {
    const auto kind = zstd_frame_at(frame);
    if (kind == zstd_frame::skippable) return true;
    if (!kind || frame.size() <= window_at) return false;
    constexpr std::byte is_single_segment{0x20};  // set: the frame has no window
    if ((frame[descriptor_at] & is_single_segment) != std::byte{}) return true;
    std::array<std::byte, window_at + 1> head;
    std::copy_n(frame.begin(), head.size(), head.begin());
    constexpr unsigned smallest_log = 10;
    const auto claimed = std::to_integer<unsigned>(head[window_at]) >> 3U;
    if (claimed + smallest_log >= window_log) {
      head[window_at] = static_cast<std::byte>((window_log - smallest_log) << 3U);
    }
    ZSTD_outBuffer nothing{nullptr, 0, 0};
    return ZSTD_isError(feed(head, nothing)) == 0;
  }

  std::size_t feed(std::span<const std::byte> from, ZSTD_outBuffer& out) noexcept {
    ZSTD_inBuffer in{from.data(), from.size(), 0};
    const std::size_t status = ZSTD_decompressStream(context, &out, &in);
    taken += in.pos;
    return status;
  }

  ZSTD_DCtx* context;
  unsigned window_log;
  bool is_at_frame = true;
};

std::unique_ptr<library> library_of(compressor algorithm, std::size_t body_bytes) {
  switch (algorithm) {
    case compressor::snappy:
      return std::make_unique<by_snappy>();
    case compressor::zlib:
      return std::make_unique<by_zlib>();
    case compressor::zstd:
      return std::make_unique<by_zstd>(body_bytes);
    case compressor::none:
      break;
  }
  return std::make_unique<by_copying>();
}

}  // namespace

stepwise_decompressor::stepwise_decompressor(compressor algorithm, std::size_t body_bytes)
    : library_(library_of(algorithm, body_bytes)) {}
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

std::size_t stepwise_decompressor::memory_bytes(compressor algorithm,
                                                std::size_t body_bytes) noexcept {
  switch (algorithm) {
    case compressor::zlib:
      return zlib_bytes;
    case compressor::zstd:
      return (std::size_t{1} << window_log_for(body_bytes)) + zstd_bytes;
    case compressor::none:
    case compressor::snappy:
      break;
  }
  return 0;
}

}  // namespace scattergate::wire
