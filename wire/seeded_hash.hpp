#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

/// Hash functions for tables whose keys clients choose. The hashes depend on a random key of
/// the process, so that clients can't predict collisions. Don't store or send these hashes:
/// they are valid only within this process.
namespace scattergate::wire {

__extension__ using uint128 = unsigned __int128;

/// Multiplies two numbers, and XORs the upper and lower 64 bits of the product. If the factors
/// are secret, the result is unpredictable.
[[nodiscard]] inline std::uint64_t folded_product(std::uint64_t a, std::uint64_t b) noexcept {
  const uint128 product = uint128{a} * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

/// The secret key of a hash function.
struct hash_key {
  std::uint64_t first;
  std::uint64_t second;

  /// Generates a random key. Throws std::system_error.
  [[nodiscard]] static hash_key random();
  /// The key of this process, generated at its start.
  [[nodiscard]] static const hash_key& of_process() noexcept { return of_process_; }

 private:
  static const hash_key of_process_;
};

/// Hashes two numbers; their order matters.
[[nodiscard]] inline std::uint64_t seeded_hash(
    std::uint64_t a, std::uint64_t b, const hash_key& key = hash_key::of_process()) noexcept {
  return folded_product(folded_product(a ^ key.first, b ^ key.second) ^ key.first, key.second);
}

/// Hashes a text. To hash a sequence of texts, pass the hash of the preceding texts as
/// `before`.
[[nodiscard]] std::uint64_t seeded_hash(std::string_view text, std::uint64_t before = 0,
                                        const hash_key& key = hash_key::of_process()) noexcept;

/// A hash functor for tables with text keys; supports lookups by std::string_view.
struct seeded_text_hash {
  using is_transparent = void;
  [[nodiscard]] std::size_t operator()(std::string_view text) const noexcept {
    return seeded_hash(text);
  }
};

}  // namespace scattergate::wire
