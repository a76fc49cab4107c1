#pragma once

#include <cstdint>

namespace scattergate::routing {

/// What is wrong with a filter that can't be judged.
enum class filter_fault : std::uint8_t {
  none,
  unreadable,            ///< corrupt BSON
  too_deep,              ///< nested deeper than mongos reads
  refused,               ///< mongos answers with an error (BadValue)
  bad_expression,        ///< $expr holds an operator that MongoDB doesn't know
  malformed_expression,  ///< in $expr, a further field stands beside an operator
};

}  // namespace scattergate::routing
