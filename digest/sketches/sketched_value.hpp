#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "digest/sketches/salt.hpp"
#include "digest/sketches/value_order.hpp"
#include "routing/scratch.hpp"
#include "wire/bson.hpp"

namespace scattergate::digest {

/// Identifies a field of a collection_sketches.
using sketched_field = std::uint32_t;

/// A field's value, as sketches count it.
struct sketched_value {
  sketched_field field = 0;
  std::uint64_t hash = 0;  ///< salted
  value_head head;
};

/// One statement of a command, or a new document. A view.
struct sketched_statement {
  std::span<const sketched_value> values;  ///< several of a field: one of them each
  std::uint32_t weight = 1;                ///< how many statements it stands for
  bool is_insert = false;
};

/// Longer values aren't sketched, in bytes.
inline constexpr std::size_t max_sketched_bytes = 1024;

/// Values that MongoDB compares as equal, such as 1 and 1.0, have equal hashes. std::nullopt
/// if the value is too long, an array (no shard key has one), or corrupt. Doesn't allocate.
[[nodiscard]] std::optional<sketched_value> sketched(sketched_field field,
                                                     const wire::element& value, const salt& by,
                                                     routing::scratch& memory) noexcept;

}  // namespace scattergate::digest
