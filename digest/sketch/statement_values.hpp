#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "digest/sketch/value_hash.hpp"

namespace scattergate::digest {

/// Fields of one collection of which values are kept, and of pairs of them.
inline constexpr std::size_t most_sketched_fields = 8;
inline constexpr std::size_t most_sketched_pairs = 8;
/// A longer path isn't kept, in bytes.
inline constexpr std::size_t most_path_bytes = 120;

/// A set of a collection's fields: bit i for field i.
using field_bits = std::uint8_t;

/// What a statement says of the fields of its collection: the hashes of those that it gives one
/// value.
struct statement_values {
  field_bits given = 0;
  bool is_insert = false;
  std::uint16_t refused = 0;                               ///< values of fields without a place
  std::array<std::uint64_t, most_sketched_fields> hashes;  ///< of those given
  std::array<order_key, most_sketched_fields> orders;      ///< the same of an insert
};

}  // namespace scattergate::digest
