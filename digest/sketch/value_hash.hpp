#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include "digest/sketch/salt.hpp"
#include "wire/bson.hpp"

namespace scattergate::digest {

/// The hash of a value, the same for values that MongoDB takes for equal: 5 as an int, a long
/// and a double. Nothing of what no shard key holds: arrays, regular expressions, undefined.
/// Two limits: a Decimal128 isn't equal to other numbers, and of a value of more than 1 KiB the
/// first and the last 512 bytes and the length count.
[[nodiscard]] std::optional<std::uint64_t> hash_of(const wire::element& value,
                                                   const salt& by) noexcept;

/// Of a field that a document doesn't have: as null, as a shard key takes it.
[[nodiscard]] std::uint64_t hash_of_missing(const salt& by) noexcept;

/// Where a value stands in MongoDB's order, as far as 24 bytes tell: of a string its first 23
/// bytes. In memory only, until the next windows of values; never stored or shown.
struct order_key {
  static constexpr std::size_t words = 3;

  std::array<std::uint64_t, words> of{};

  friend auto operator<=>(const order_key&, const order_key&) = default;
};
[[nodiscard]] order_key order_of(const wire::element& value) noexcept;

/// The hash of two fields together, of the hashes of their values.
[[nodiscard]] inline std::uint64_t hash_of_pair(std::uint64_t first,
                                                std::uint64_t second) noexcept {
  constexpr wire::hash_key fixed{0x9e3779b97f4a7c15U, 0xd1b54a32d192ed03U};
  return wire::seeded_hash(first, second, fixed);
}

}  // namespace scattergate::digest
