#include "digest/sketches/salt.hpp"

#include <bit>

#include "wire/endian.hpp"
#include "wire/seeded_hash.hpp"

namespace scattergate::digest {
namespace {

constexpr std::size_t word = sizeof(std::uint64_t);
constexpr std::size_t word_digits = 16;

/// The four words of SipHash's state.
struct sip_state {
  std::uint64_t v0, v1, v2, v3;

  void round() noexcept {
    v0 += v1;
    v1 = std::rotl(v1, 13) ^ v0;
    v0 = std::rotl(v0, 32);
    v2 += v3;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 += v3;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 += v1;
    v1 = std::rotl(v1, 17) ^ v2;
    v2 = std::rotl(v2, 32);
  }
  void take(std::uint64_t block) noexcept {
    v3 ^= block;
    round();
    round();
    v0 ^= block;
  }
};

}  // namespace

std::uint64_t salted_hash(std::span<const std::byte> bytes, const salt& hash_salt) noexcept {
  sip_state state{hash_salt.first ^ 0x736f6d6570736575U, hash_salt.second ^ 0x646f72616e646f6dU,
                  hash_salt.first ^ 0x6c7967656e657261U,
                  hash_salt.second ^ 0x7465646279746573U};
  const std::byte* at = bytes.data();
  std::size_t rest = bytes.size();
  for (; rest >= word; rest -= word, at += word) {
    state.take(wire::load_little<std::uint64_t>(at));
  }
  std::uint64_t last = 0;
  while (rest != 0) last = last << 8U | std::to_integer<std::uint64_t>(at[--rest]);
  state.take(last | std::uint64_t{bytes.size()} << 56U);
  state.v2 ^= 0xffU;
  for (int i = 0; i < 4; ++i) state.round();
  return state.v0 ^ state.v1 ^ state.v2 ^ state.v3;
}

std::uint64_t paired_hash(std::uint64_t first, std::uint64_t second) noexcept {
  // Both are random already; the finaliser is MurmurHash3's.
  std::uint64_t mixed = first + std::rotl(second, 29) * 0x9e3779b97f4a7c15U;
  mixed = (mixed ^ mixed >> 33U) * 0xff51afd7ed558ccdU;
  mixed = (mixed ^ mixed >> 33U) * 0xc4ceb9fe1a85ec53U;
  return mixed ^ mixed >> 33U;
}

salt salt::random() {
  const auto drawn = wire::hash_key::random();
  return {drawn.first, drawn.second};
}

std::optional<salt> salt::from(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (text.size() != 2 * word_digits) return std::nullopt;
  const auto first = hex_number(text.substr(0, word_digits), word_digits);
  const auto second = hex_number(text.substr(word_digits), word_digits);
  if (!first || !second) return std::nullopt;
  return salt{*first, *second};
}

std::string salt::text() const {
  return hex_text(first, word_digits) + hex_text(second, word_digits);
}

std::uint64_t salt::id() const noexcept {
  constexpr std::string_view what = "scattergate salt";
  return salted_hash(std::as_bytes(std::span{what}), *this);
}

std::string hex_text(std::uint64_t number, std::size_t digits) {
  constexpr std::string_view alphabet = "0123456789abcdef";
  std::string text(digits, '0');
  for (std::size_t i = digits; i-- > 0; number >>= 4U) text[i] = alphabet[number & 0xfU];
  return text;
}

std::optional<std::uint64_t> hex_number(std::string_view text, std::size_t digits) noexcept {
  if (text.size() != digits) return std::nullopt;
  std::uint64_t number = 0;
  for (const char c : text) {
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit && (c < 'a' || c > 'f')) return std::nullopt;
    number = number << 4U | static_cast<std::uint64_t>(is_digit ? c - '0' : c - 'a' + 10);
  }
  return number;
}

}  // namespace scattergate::digest
