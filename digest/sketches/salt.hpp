#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace scattergate::digest {

/// The secret key for hashing the values in sketches. Only sketches with equal salts can be
/// merged.
struct salt {
  std::uint64_t first = 0;
  std::uint64_t second = 0;

  /// Generates a random salt. Throws std::system_error.
  [[nodiscard]] static salt random();
  /// Parses the output of text(), with or without a final line feed; std::nullopt if it is
  /// invalid.
  [[nodiscard]] static std::optional<salt> from(std::string_view text);

  /// Formats the salt as 32 hexadecimal digits.
  [[nodiscard]] std::string text() const;
  /// A number that identifies the salt without revealing it.
  [[nodiscard]] std::uint64_t id() const noexcept;

  friend bool operator==(const salt&, const salt&) = default;
};

/// Hashes bytes with SipHash-2-4 (Aumasson, Bernstein: "SipHash: a fast short-input PRF").
/// Without the salt, a hash reveals only which inputs are equal.
[[nodiscard]] std::uint64_t salted_hash(std::span<const std::byte> bytes,
                                        const salt& hash_salt) noexcept;

/// Combines two salted hashes; the order matters.
[[nodiscard]] std::uint64_t paired_hash(std::uint64_t first, std::uint64_t second) noexcept;

/// Formats a number as `digits` hexadecimal digits.
[[nodiscard]] std::string hex_text(std::uint64_t number, std::size_t digits);
/// Parses exactly `digits` lower-case hexadecimal digits; std::nullopt for any other text.
[[nodiscard]] std::optional<std::uint64_t> hex_number(std::string_view text,
                                                      std::size_t digits) noexcept;

}  // namespace scattergate::digest
