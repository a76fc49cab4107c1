#pragma once

#include <cstdint>

#include "wire/bson.hpp"

namespace scattergate::wire {

/// How the size of a value follows from its type, for who steps over values without libbson.
/// Thread-safety: immutable.
struct value_layout {
  enum class kind : std::uint8_t {
    fixed,         ///< `bytes` bytes
    prefixed,      ///< an int32 length, that many bytes, and `bytes` more
    self_counted,  ///< an int32 length that counts itself
    regex,         ///< two strings closed by NUL
    unknown,       ///< no type of BSON
  };
  kind how = kind::unknown;
  std::uint8_t bytes = 0;
};

[[nodiscard]] value_layout layout_of(bson_type type) noexcept;

}  // namespace scattergate::wire
