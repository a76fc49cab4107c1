#include <chrono>
#include <cstdint>
#include <span>

#include "report/sources/capture/capture.hpp"
#include "report/sources/capture/packet.hpp"
#include "tests/fuzz/reading.hpp"

/// The input is packets of one link type, each behind its length (a big-endian uint16): for
/// any packets, the connections stay within their limits, and keep no memory once they are at
/// an end.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace scattergate;
  constexpr unsigned links = 5;
  if (size == 0) return 0;
  const auto link = static_cast<report::link_kind>(data[0] % links);
  auto rest = std::as_bytes(std::span{data, size}).subspan(1);
  fuzz::checked_reading heard;
  report::tcp_connections open{heard};
  digest::wall_time at{};
  while (rest.size() > 2) {
    const auto length = std::min(
        std::to_integer<std::size_t>(rest[0]) << 8U | std::to_integer<std::size_t>(rest[1]),
        rest.size() - 2);
    // A block of its own, so that a step beyond it is seen.
    const std::vector<std::byte> packet(rest.begin() + 2,
                                        rest.begin() + 2 + static_cast<std::ptrdiff_t>(length));
    rest = rest.subspan(2 + length);
    at += std::chrono::milliseconds{1};
    if (const auto parsed = report::parse_packet(link, packet)) open.receive(*parsed, at);
    fuzz::require(open.held_bytes() <= report::tcp_connections::most_held_by_one);
  }
  open.finish();
  fuzz::require(open.size() == 0 && open.held_bytes() == 0);
  heard.check();
  return 0;
}
