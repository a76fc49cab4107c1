#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "digest/sketches/salt.hpp"
#include "digest/sketches/value_order.hpp"
#include "routing/scratch.hpp"
#include "wire/bson.hpp"

namespace scattergate::digest {

/// Identifies a field within a collection_sketches.
using sketched_field = std::uint32_t;

/// A field's value in the form that sketches count.
struct sketched_value {
  sketched_field field = 0;  ///< the field
  std::uint64_t hash = 0;    ///< the value's salted hash
  value_head head;  ///< the value's first bytes in sort order; must not be stored or sent
};

/// A statement or a new document, with its sketched values. A view. For the filter {a: 1, b:
/// {$in: [2, 3]}}, `values` has one value of a and two values of b.
struct sketched_statement {
  std::span<const sketched_value> values;  ///< of all fields; several for an `$in` list
  std::uint32_t weight = 1;                ///< counts as this number of statements
  bool is_insert = false;                  ///< a new document, not a statement with a filter
};

/// The maximum size of a sketched value, in bytes.
inline constexpr std::size_t max_sketched_bytes = 1024;

/// Hashes a field's value. Values that MongoDB compares as equal, such as 1 and 1.0, get equal
/// hashes. std::nullopt if the value is larger than max_sketched_bytes, corrupt, or an array,
/// which no shard key contains. Doesn't allocate.
[[nodiscard]] std::optional<sketched_value> sketched(sketched_field field,
                                                     const wire::element& value,
                                                     const salt& hash_salt,
                                                     routing::scratch& memory) noexcept;

}  // namespace scattergate::digest
