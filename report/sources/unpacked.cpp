#include "report/sources/unpacked.hpp"

#include <string>
#include <utility>

#include <zlib.h>
#include <zstd.h>

#include "report/sources/input_block.hpp"

namespace scattergate::report {
namespace {

constexpr std::string_view gzip_magic{"\x1f\x8b", 2};          // RFC 1952, 2.3.1
constexpr std::string_view zstd_magic{"\x28\xb5\x2f\xfd", 4};  // RFC 8878, 3.1.1

/// The common part of both methods: a block of compressed bytes, refilled when used up.
template <typename Method>
class unpacked_by final : public unpacked {
 public:
  explicit unpacked_by(reader from) : from_(std::move(from)), block_(input_block_bytes, '\0') {}

  std::size_t read(std::span<char> room) override {
    while (!is_corrupt_ && !is_over_ && !room.empty()) {
      if (packed_.empty()) refill();
      const bool is_last = packed_.empty();  // the decompressor may still hold output
      const bool is_done = is_last && !method_.is_inside();
      const std::size_t made = is_done ? 0 : method_.unpack(packed_, room);
      is_corrupt_ = method_.has_failed();
      if (made != 0) return made;
      is_over_ = is_last;
      is_corrupt_ = is_corrupt_ || (is_last && method_.is_inside());
    }
    return 0;
  }

  [[nodiscard]] bool is_corrupt() const noexcept override { return is_corrupt_; }

 private:
  void refill() { packed_ = {block_.data(), from_(block_)}; }

  Method method_;
  reader from_;
  std::string block_;
  std::span<char> packed_;
  bool is_over_ = false;
  bool is_corrupt_ = false;
};

class gzip_method {
 public:
  gzip_method() {
    constexpr int gzip_window = MAX_WBITS + 16;
    has_failed_ = inflateInit2(&state_, gzip_window) != Z_OK;
  }
  ~gzip_method() { inflateEnd(&state_); }
  gzip_method(const gzip_method&) = delete;
  gzip_method& operator=(const gzip_method&) = delete;

  std::size_t unpack(std::span<char>& packed, std::span<char> room) {
    if (!is_inside_) inflateReset(&state_);
    is_inside_ = true;
    state_.next_in = reinterpret_cast<Bytef*>(packed.data());
    state_.avail_in = static_cast<uInt>(packed.size());
    state_.next_out = reinterpret_cast<Bytef*>(room.data());
    state_.avail_out = static_cast<uInt>(room.size());
    const int result = inflate(&state_, Z_NO_FLUSH);
    packed = packed.last(state_.avail_in);
    if (result == Z_STREAM_END) is_inside_ = false;
    has_failed_ = result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR;
    return room.size() - state_.avail_out;
  }
  [[nodiscard]] bool is_inside() const noexcept { return is_inside_; }
  [[nodiscard]] bool has_failed() const noexcept { return has_failed_; }

 private:
  z_stream state_{};
  bool is_inside_ = false;
  bool has_failed_ = false;
};

class zstd_method {
 public:
  std::size_t unpack(std::span<char>& packed, std::span<char> room) {
    ZSTD_inBuffer in{packed.data(), packed.size(), 0};
    ZSTD_outBuffer out{room.data(), room.size(), 0};
    const std::size_t left = ZSTD_decompressStream(state_.get(), &out, &in);
    packed = packed.subspan(in.pos);
    has_failed_ = ZSTD_isError(left) != 0;
    is_inside_ = left != 0;
    return out.pos;
  }
  [[nodiscard]] bool is_inside() const noexcept { return is_inside_; }
  [[nodiscard]] bool has_failed() const noexcept { return has_failed_; }

 private:
  struct deleter {
    void operator()(ZSTD_DStream* state) const noexcept { ZSTD_freeDStream(state); }
  };
  std::unique_ptr<ZSTD_DStream, deleter> state_{ZSTD_createDStream()};
  bool is_inside_ = false;
  bool has_failed_ = false;
};

}  // namespace

std::unique_ptr<unpacked> unpacked::of(std::string_view begins, reader from) {
  if (begins.starts_with(gzip_magic)) {
    return std::make_unique<unpacked_by<gzip_method>>(std::move(from));
  }
  if (begins.starts_with(zstd_magic)) {
    return std::make_unique<unpacked_by<zstd_method>>(std::move(from));
  }
  return nullptr;
}

}  // namespace scattergate::report
