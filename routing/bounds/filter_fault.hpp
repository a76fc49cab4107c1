#pragma once

#include <cstdint>

namespace scattergate::routing {

/// Why a filter can't be judged.
enum class filter_fault : std::uint8_t {
  none,
  unreadable,            ///< corrupt BSON
  too_deep,              ///< nested deeper than mongos reads
  refused,               ///< mongos rejects it (BadValue)
  bad_expression,        ///< $expr has an operator that MongoDB doesn't know
  malformed_expression,  ///< $expr has another field besides an operator
};

}  // namespace scattergate::routing
