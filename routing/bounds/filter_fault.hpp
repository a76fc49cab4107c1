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
  unbound_variable,      ///< $expr names a variable that nothing binds
  bad_pattern,           ///< a regular expression that can't be compiled
  bad_pattern_option,    ///< an option of a regular expression that MongoDB doesn't know
  near_in_stage,         ///< $near in a $match
};

}  // namespace scattergate::routing
