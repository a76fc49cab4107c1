#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "report/sources/capture/tcp_stream.hpp"
#include "tests/fuzz/require.hpp"
#include "wire/header.hpp"

/// The input is a plan: where a stream of messages is cut, in which order its segments come,
/// which come twice or cut otherwise. As long as none is lost, the messages are those that were
/// sent. Then a second stream gets the input's bytes as they are, at its places.
namespace {

using scattergate::fuzz::require;
using namespace scattergate;

using bytes = std::vector<std::byte>;
using report::tcp_stream;

/// Takes numbers from the input; zeros at its end.
class plan {
 public:
  explicit plan(std::span<const std::uint8_t> from) : rest_(from) {}

  std::size_t number(std::size_t below) {
    std::size_t value = 0;
    for (int i = 0; i < 2 && !rest_.empty(); ++i) {
      value = value << 8U | rest_.front();
      rest_ = rest_.subspan(1);
    }
    return value % below;
  }
  [[nodiscard]] bool is_over() const { return rest_.empty(); }

 private:
  std::span<const std::uint8_t> rest_;
};

bytes messages_of(plan& by) {
  bytes whole;
  const std::size_t count = 1 + by.number(8);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t size = wire::limits::header_bytes + by.number(700);
    const std::size_t at = whole.size();
    for (std::size_t j = 0; j < size; ++j) whole.push_back(static_cast<std::byte>(i + j));
    wire::serialize_header(
        {static_cast<std::int32_t>(size), static_cast<std::int32_t>(i), 0, wire::opcode::msg},
        std::span<std::byte, 16>{whole.data() + at, 16});
  }
  return whole;
}

struct piece {
  std::size_t at;
  std::size_t size;
};

/// All of the stream, cut somehow; then near ones change places, and some more are put between.
std::vector<piece> pieces_of(std::size_t whole, plan& by) {
  std::vector<piece> made;
  for (std::size_t at = 0; at < whole;) {
    const std::size_t size = std::min(whole - at, 1 + by.number(600));
    made.push_back({at, size});
    at += size;
  }
  while (!by.is_over()) {
    const std::size_t one = by.number(made.size());
    const std::size_t other = by.number(made.size());
    if (by.number(2) == 0) {
      std::swap(made[one], made[other]);
    } else {
      const std::size_t at = by.number(whole);
      const piece again{at, std::min(whole - at, 1 + by.number(1'000))};
      made.insert(made.begin() + static_cast<std::ptrdiff_t>(one), again);
    }
    if (made.size() > 500) break;
  }
  return made;
}

void drain(tcp_stream& from, bytes& into) {
  for (auto one = from.next(); !one.empty(); one = from.next()) {
    require(one.size() >= wire::limits::header_bytes);
    into.insert(into.end(), one.begin(), one.end());
  }
}

void check_order(std::span<const std::uint8_t> input) {
  plan by{input};
  const auto first = static_cast<std::uint32_t>(by.number(65'536) << 16U | by.number(65'536));
  const bytes whole = messages_of(by);
  tcp_stream stream;
  bytes given;
  stream.receive({first, true, {}});
  for (const piece& one : pieces_of(whole.size(), by)) {
    if (one.size % 13 == 0) stream.receive({first, true, {}});  // as a SYN that comes again
    const auto number = first + 1 + static_cast<std::uint32_t>(one.at);
    const bytes content(whole.begin() + static_cast<std::ptrdiff_t>(one.at),
                        whole.begin() + static_cast<std::ptrdiff_t>(one.at + one.size));
    stream.receive({number, false, content});
    drain(stream, given);
  }
  require(given == whole);
  stream.finish();
  require(stream.take_losses() == 0);
}

void check_anything(std::span<const std::uint8_t> input) {
  tcp_stream stream;
  bytes given;
  while (input.size() > 6) {
    std::uint32_t number = 0;
    std::memcpy(&number, input.data(), sizeof number);
    const bool begins = input[4] % 16 == 0;
    const std::size_t size = std::min<std::size_t>(input[5], input.size() - 6);
    stream.receive({number, begins, std::as_bytes(input.subspan(6, size))});
    input = input.subspan(6 + size);
    drain(stream, given);
    require(stream.held_bytes() < 6UL << 20);
    given.clear();
  }
  stream.finish();
  drain(stream, given);
  require(stream.next().empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check_order({data, size});
  check_anything({data, size});
  return 0;
}
