#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

/// Hashes for tables whose keys clients choose. They are keyed with a random number per
/// process, so that clients can't predict which names share a bucket (std::hash of a string is
/// the same everywhere). Never store or send them: they mean nothing in another process.
namespace scattergate::wire {

__extension__ using uint128 = unsigned __int128;

/// Multiplies and folds both halves of the product into one word. With secret factors the
/// result is as unpredictable as they are.
[[nodiscard]] inline std::uint64_t folded_product(std::uint64_t a, std::uint64_t b) noexcept {
  const uint128 product = uint128{a} * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

/// The key of a hash.
struct hash_key {
  std::uint64_t first;
  std::uint64_t second;

  /// Draws a new key. Throws std::system_error.
  [[nodiscard]] static hash_key random();
  /// This process's key.
  [[nodiscard]] static const hash_key& of_process() noexcept { return of_process_; }

 private:
  static const hash_key of_process_;
};

/// The hash of two numbers, in their order.
[[nodiscard]] inline std::uint64_t seeded_hash(
    std::uint64_t a, std::uint64_t b, const hash_key& key = hash_key::of_process()) noexcept {
  return folded_product(folded_product(a ^ key.first, b ^ key.second) ^ key.first, key.second);
}

/// The hash of `text`, continued from `before`: the hash of a preceding text, or 0. Hashes
/// several texts as one.
[[nodiscard]] std::uint64_t seeded_hash(std::string_view text, std::uint64_t before = 0,
                                        const hash_key& key = hash_key::of_process()) noexcept;

/// Hash functor for tables of texts, looked up without making a std::string.
struct seeded_text_hash {
  using is_transparent = void;
  [[nodiscard]] std::size_t operator()(std::string_view text) const noexcept {
    return seeded_hash(text);
  }
};

}  // namespace scattergate::wire
