#include "digest/sketch/salt.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdio>
#include <optional>

#include "wire/endian.hpp"

namespace scattergate::digest {
namespace {

constexpr std::size_t word = sizeof(std::uint64_t);

/// SipHash-2-4 (Aumasson, Bernstein: "SipHash: a fast short-input PRF"), a word at a time.
class sip_hash {
 public:
  explicit sip_hash(const wire::hash_key& key) noexcept
      : a_(key.first ^ 0x736f6d6570736575U),
        b_(key.second ^ 0x646f72616e646f6dU),
        c_(key.first ^ 0x6c7967656e657261U),
        d_(key.second ^ 0x7465646279746573U) {}

  void add(std::uint64_t next) noexcept {
    d_ ^= next;
    round();
    round();
    a_ ^= next;
  }

  [[nodiscard]] std::uint64_t finish() noexcept {
    constexpr std::uint64_t end = 0xff;
    c_ ^= end;
    for (int i = 0; i < 4; ++i) round();
    return a_ ^ b_ ^ c_ ^ d_;
  }

 private:
  void round() noexcept {
    a_ += b_;
    c_ += d_;
    b_ = std::rotl(b_, 13) ^ a_;
    d_ = std::rotl(d_, 16) ^ c_;
    a_ = std::rotl(a_, 32);
    c_ += b_;
    a_ += d_;
    b_ = std::rotl(b_, 17) ^ c_;
    d_ = std::rotl(d_, 21) ^ a_;
    c_ = std::rotl(c_, 32);
  }

  std::uint64_t a_, b_, c_, d_;
};

std::optional<std::uint64_t> number_of(std::string_view digits) noexcept {
  std::uint64_t number = 0;
  const char* const end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, number, 16);
  if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  return number;
}

std::string_view trimmed(std::string_view text) noexcept {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t begin = std::min(text.find_first_not_of(blanks), text.size());
  return text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

}  // namespace

text::result<salt> salt::of_text(std::string_view text) {
  const std::string_view hex = trimmed(text);
  const auto first = number_of(hex.substr(0, digits / 2));
  const auto second = hex.size() == digits ? number_of(hex.substr(digits / 2)) : std::nullopt;
  if (!first || !second) {
    return text::failure(
        "is no salt: 32 hex digits are, as `openssl rand -hex 16` prints them");
  }
  return salt{{*first, *second}};
}

salt::salt(const wire::hash_key& key) : key_(key) {
  constexpr std::string_view asked = "scattergate.sketches";
  std::array<char, 20> text{};
  std::snprintf(
      text.data(), text.size(), "%016llx",
      static_cast<unsigned long long>(hash(asked.size(), std::as_bytes(std::span{asked}))));
  id_ = text.data();
}

std::uint64_t salt::hash(std::uint64_t first, std::span<const std::byte> bytes) const noexcept {
  sip_hash state{key_};
  state.add(first);
  const std::byte* at = bytes.data();
  std::size_t rest = bytes.size();
  for (; rest >= word; rest -= word, at += word)
    state.add(wire::load_little<std::uint64_t>(at));
  std::uint64_t last = (word + bytes.size()) << 56U;
  for (std::size_t i = 0; i != rest; ++i)
    last |= std::to_integer<std::uint64_t>(at[i]) << (8 * i);
  state.add(last);
  return state.finish();
}

}  // namespace scattergate::digest
