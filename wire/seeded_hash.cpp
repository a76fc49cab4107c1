#include "wire/seeded_hash.hpp"

#include <cerrno>
#include <system_error>

#include <sys/random.h>

#include "wire/endian.hpp"

namespace scattergate::wire {
namespace {

constexpr std::size_t word = sizeof(std::uint64_t);

struct words {
  std::uint64_t begin;
  std::uint64_t end;
};

/// All bytes of a text of up to two words; bytes in the middle may be in both words.
words words_of(const char* text, std::size_t size) noexcept {
  constexpr std::size_t half = sizeof(std::uint32_t);
  if (size >= word) {
    return {load_little<std::uint64_t>(text), load_little<std::uint64_t>(text + size - word)};
  }
  if (size >= half) {
    return {load_little<std::uint32_t>(text), load_little<std::uint32_t>(text + size - half)};
  }
  if (size == 0) return {0, 0};
  const auto at = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  return {at(0), static_cast<std::uint64_t>(at(size / 2) << 8U | at(size - 1))};
}

}  // namespace

const hash_key hash_key::of_process_ = hash_key::random();

hash_key hash_key::random() {
  hash_key drawn{};
  ssize_t got = 0;
  do {
    got = ::getrandom(&drawn, sizeof drawn, 0);
  } while (got < 0 && errno == EINTR);
  if (got != static_cast<ssize_t>(sizeof drawn)) {
    throw std::system_error(errno, std::generic_category(), "getrandom");
  }
  return drawn;
}

std::uint64_t seeded_hash(std::string_view text, std::uint64_t before,
                          const hash_key& key) noexcept {
  std::uint64_t state = before ^ key.first;
  const char* at = text.data();
  std::size_t rest = text.size();
  for (; rest > 2 * word; rest -= 2 * word, at += 2 * word) {
    state = folded_product(load_little<std::uint64_t>(at) ^ state,
                           load_little<std::uint64_t>(at + word) ^ key.second);
  }
  const words last = words_of(at, rest);
  state = folded_product(last.begin ^ state, last.end ^ key.second);
  return folded_product(state ^ key.first, text.size() ^ key.second);
}

}  // namespace scattergate::wire
