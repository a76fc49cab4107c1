#include "routing/pattern/pattern.hpp"

#include <cstdint>

#include "wire/bson.hpp"
#include "wire/endian.hpp"

namespace scattergate::routing {

using wire::bson_type;

namespace {

template <typename Unit>
bool is_equal_at(std::size_t at, const std::byte* a, const std::byte* b) noexcept {
  return wire::load_little<Unit>(a + at) == wire::load_little<Unit>(b + at);
}

/// Whether `bytes` bytes are equal. The texts between literals are short, so comparing words is
/// faster than calling memcmp(). REQUIRES: `bytes` isn't 0.
[[gnu::always_inline]] inline bool is_equal(const std::byte* a, const std::byte* b,
                                            std::size_t bytes) noexcept {
  using word = std::uint64_t;
  using half = std::uint32_t;
  if (bytes >= sizeof(word)) {
    const std::size_t last = bytes - sizeof(word);
    for (std::size_t at = 0; at < last; at += sizeof(word)) {
      if (!is_equal_at<word>(at, a, b)) return false;
    }
    return is_equal_at<word>(last, a, b);
  }
  if (bytes >= sizeof(half)) {
    return is_equal_at<half>(0, a, b) && is_equal_at<half>(bytes - sizeof(half), a, b);
  }
  return a[0] == b[0] && a[bytes / 2] == b[bytes / 2] && a[bytes - 1] == b[bytes - 1];
}

}  // namespace

// A pattern is a program for one pass over a message. Example: the pattern of
// {find: "c", filter: {sku: "a7"}, $db: "d"}, which also matches {sku: "b12"}:
//
//   same 5     00 00 00 00 00                           the flags; the body's kind
//   enter                                               the body's length
//   same 20    02 "find" 00, 2 "c" 00, 03 "filter" 00   the command; the filter's name
//   enter                                               the filter's length
//   same 5     02 "sku" 00                              the literal's type and name
//   value 2                                             any string
//   same 1     00                                       the end of the filter
//   leave
//   same 12    02 "$db" 00, 2 "d" 00, 00                the database; the end of the body
//   leave
//
// Invariants of matches():
//   - The steps before `at` have matched all bytes before `rest`. No step reads beyond `rest`.
//   - left_behind has, for each open document, the number of bytes after its end. `leave`
//     checks that exactly this number remains, so every length in a matching message is
//     correct.
//   - wire::value_size() has validated the bytes that `value` and `binary` skip.

bool pattern::matches(std::span<const std::byte> message) const noexcept {
  if (size_ == 0 || message.size() > max_patterned_message) return false;
  auto rest = message.subspan(wire::limits::header_bytes);
  std::array<std::size_t, max_depth> left_behind;  // per open document: the number of bytes
                                                   // after its end
  std::size_t depth = 0;
  for (const std::byte* at = steps_.data(); at != steps_.data() + size_;) {
    const auto next = static_cast<step>(*at++);
    if (next == step::leave) {
      if (rest.size() != left_behind[--depth]) return false;
      continue;
    }
    if (next == step::enter) {
      if (rest.size() < sizeof(std::uint32_t)) return false;
      const std::size_t length = wire::load_little<std::uint32_t>(rest.data());
      if (length > rest.size()) return false;
      left_behind[depth++] = rest.size() - length;
      rest = rest.subspan(sizeof(std::uint32_t));
      continue;
    }
    const auto operand = std::to_integer<std::uint8_t>(*at++);
    std::size_t bytes = operand;
    if (next == step::same) {
      if (bytes > rest.size() || !is_equal(at, rest.data(), bytes)) return false;
      at += bytes;
    } else if (next == step::value) {
      bytes = wire::value_size(static_cast<bson_type>(operand), rest);
    } else if (next == step::binary) {
      constexpr std::size_t subtype_at = 4;
      if (rest.size() <= subtype_at || rest[subtype_at] != std::byte{operand}) return false;
      bytes = wire::value_size(bson_type::binary, rest);
    }
    if (bytes > rest.size()) return false;
    rest = rest.subspan(bytes);
  }
  return rest.empty();
}

}  // namespace scattergate::routing
