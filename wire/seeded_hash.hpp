#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

/// For tables whose keys clients choose: hashes under a key that the system draws for this
/// process, so that nobody outside can tell which names fall into one bucket (std::hash of a
/// string is the same everywhere). Never written down or sent: they mean nothing elsewhere.
namespace scattergate::wire {

__extension__ using uint128 = unsigned __int128;

/// Both halves of a product, in one word: of factors that nobody knows, as unknown as they.
[[nodiscard]] inline std::uint64_t folded_product(std::uint64_t a, std::uint64_t b) noexcept {
  const uint128 product = uint128{a} * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

/// What hashes are keyed with.
struct hash_key {
  std::uint64_t first;
  std::uint64_t second;

  /// Another one at each call. Throws std::system_error.
  [[nodiscard]] static hash_key random();
  /// This process's.
  [[nodiscard]] static const hash_key& of_process() noexcept { return of_process_; }

 private:
  static const hash_key of_process_;
};

/// The hash of two numbers, in their order.
[[nodiscard]] inline std::uint64_t seeded_hash(
    std::uint64_t a, std::uint64_t b, const hash_key& key = hash_key::of_process()) noexcept {
  return folded_product(folded_product(a ^ key.first, b ^ key.second) ^ key.first, key.second);
}

/// The hash of `text` and of what stands before it, as a number: the hash of another text, so
/// that several hash as one, or 0.
[[nodiscard]] std::uint64_t seeded_hash(std::string_view text, std::uint64_t before = 0,
                                        const hash_key& key = hash_key::of_process()) noexcept;

/// For tables of texts that are looked up without making a std::string.
struct seeded_text_hash {
  using is_transparent = void;
  [[nodiscard]] std::size_t operator()(std::string_view text) const noexcept {
    return seeded_hash(text);
  }
};

}  // namespace scattergate::wire
