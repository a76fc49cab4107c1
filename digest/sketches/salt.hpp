#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace scattergate::digest {

/// The secret key with which the values of sketches are hashed. Only sketches of one salt can
/// be merged.
struct salt {
  std::uint64_t first = 0;
  std::uint64_t second = 0;

  /// Draws a new one. Throws std::system_error.
  [[nodiscard]] static salt random();
  /// Reads what text() writes, with or without a line feed behind; std::nullopt for anything
  /// else.
  [[nodiscard]] static std::optional<salt> from(std::string_view text);

  /// 32 hexadecimal digits.
  [[nodiscard]] std::string text() const;
  /// Identifies the salt without revealing it.
  [[nodiscard]] std::uint64_t id() const noexcept;

  friend bool operator==(const salt&, const salt&) = default;
};

/// SipHash-2-4 (Aumasson, Bernstein: "SipHash: a fast short-input PRF"): whoever doesn't know
/// the salt learns nothing from it but which inputs are equal.
[[nodiscard]] std::uint64_t salted_hash(std::span<const std::byte> bytes,
                                        const salt& by) noexcept;

/// Hashes two salted hashes, in their order.
[[nodiscard]] std::uint64_t paired_hash(std::uint64_t first, std::uint64_t second) noexcept;

/// Hexadecimal digits of a number, with leading zeros.
[[nodiscard]] std::string hex_text(std::uint64_t number, std::size_t digits);
/// Reads exactly `digits` lower-case hexadecimal digits; std::nullopt for anything else.
[[nodiscard]] std::optional<std::uint64_t> hex_number(std::string_view text,
                                                      std::size_t digits) noexcept;

}  // namespace scattergate::digest
