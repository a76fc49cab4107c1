#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <zlib.h>
#include <zstd.h>

#include "report/sources/input.hpp"
#include "tests/fuzz/require.hpp"

/// The input is a compressed file, as far as its first bytes say so: it is unpacked to its end,
/// or is spoilt. And it is a file's content: in several members, cut anywhere, read piece by
/// piece, it comes out as it was; cut short, its beginning does, and it is spoilt.
namespace {

using scattergate::fuzz::require;
using scattergate::report::unpacked;

constexpr std::size_t most = 1 << 20;

struct outcome {
  std::string content;
  bool is_corrupt = false;
};

/// The unpacked bytes, up to a limit, read and passed in pieces of these sizes.
outcome unpack(std::string_view packed, std::size_t give, std::size_t take) {
  const auto from = [&](std::span<char> room) {
    const std::size_t bytes = std::min({packed.size(), give, room.size()});
    std::copy_n(packed.begin(), bytes, room.begin());
    packed.remove_prefix(bytes);
    return bytes;
  };
  const auto stream = unpacked::of(packed, from);
  if (!stream) return {{}, true};
  outcome made;
  std::string room(take, '\0');
  while (made.content.size() < most) {
    const std::size_t bytes = stream->read(room);
    require(bytes <= room.size());
    if (bytes == 0) break;
    made.content.append(room, 0, bytes);
  }
  made.is_corrupt = stream->is_corrupt();
  return made;
}

std::string gzip(std::string_view text) {
  constexpr int window = 15 + 16;
  constexpr int memory_level = 8;
  z_stream state{};
  require(deflateInit2(&state, 1, Z_DEFLATED, window, memory_level, Z_DEFAULT_STRATEGY) ==
          Z_OK);
  std::string packed(text.size() * 2 + 1024, '\0');
  state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  state.avail_in = static_cast<uInt>(text.size());
  state.next_out = reinterpret_cast<Bytef*>(packed.data());
  state.avail_out = static_cast<uInt>(packed.size());
  require(deflate(&state, Z_FINISH) == Z_STREAM_END);
  packed.resize(state.total_out);
  deflateEnd(&state);
  return packed;
}

std::string zstd(std::string_view text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 1));
  return packed;
}

void check(std::string (*pack)(std::string_view), std::string_view text, std::size_t seed) {
  const std::size_t at = text.empty() ? 0 : seed % text.size();
  const std::string first = pack(text.substr(0, at));
  const std::string packed = first + pack(text.substr(at));
  const outcome whole = unpack(packed, 4 + seed % 97, 1 + seed % 89);
  require(whole.content == text && !whole.is_corrupt);
  const std::size_t kept = 4 + seed % (packed.size() - 4);
  const outcome cut = unpack(std::string_view{packed}.substr(0, kept), 1'000, 1'000);
  require(text.starts_with(cut.content));
  require(cut.is_corrupt == (kept != first.size()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input{reinterpret_cast<const char*>(data), size};
  const outcome one = unpack(input, 1'000, 1'000);
  const outcome other = unpack(input, 7 + size % 3, 11);
  if (one.content.size() < most && other.content.size() < most) {
    // The amount of output before the corrupt data depends on the pieces.
    require(one.is_corrupt == other.is_corrupt);
    const bool is_same_so_far =
        one.content.starts_with(other.content) || other.content.starts_with(one.content);
    require(is_same_so_far && (one.is_corrupt || one.content == other.content));
  }
  std::size_t seed = size;
  for (const char each : input) seed = seed * 31 + static_cast<unsigned char>(each);
  check(gzip, input, seed);
  check(zstd, input, seed);
  return 0;
}
