#include "telemetry/admin/packed.hpp"

#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include <zlib.h>
#include <zstd.h>

namespace scattergate::telemetry {
namespace {

constexpr int gzip_window = MAX_WBITS + 16;  // zlib.h: deflateInit2, "gzip encoding"
constexpr int gzip_memory = 8;               // zlib's default

std::optional<std::string> gzipped(const std::string& text) {
  if (text.size() > std::numeric_limits<uInt>::max()) return std::nullopt;
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, gzip_window, gzip_memory,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    return std::nullopt;
  }
  const std::unique_ptr<z_stream, decltype(&deflateEnd)> ended{&stream, deflateEnd};
  std::string packed(deflateBound(&stream, text.size()), '\0');
  // zlib's interface lacks const, but deflate() doesn't write to its input.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) return std::nullopt;
  packed.resize(stream.total_out);
  packed.shrink_to_fit();
  return packed;
}

std::optional<std::string> zstd_packed(const std::string& text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  const std::size_t size =
      ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 1);
  if (ZSTD_isError(size) != 0) return std::nullopt;
  packed.resize(size);
  packed.shrink_to_fit();
  return packed;
}

}  // namespace

std::string packed(std::string text, content_coding& coding) {
  std::optional<std::string> small;
  if (coding == content_coding::gzip) small = gzipped(text);
  if (coding == content_coding::zstd) small = zstd_packed(text);
  if (small) return std::move(*small);
  coding = content_coding::identity;
  return text;
}

}  // namespace scattergate::telemetry
