#pragma once

#include <cstdint>

namespace scattergate::routing {

/// What is wrong with a filter: mongos rejects the filter, or scattergate can't read it.
enum class filter_fault : std::uint8_t {
  none,
  unreadable,            ///< the filter is corrupt BSON
  too_deep,              ///< the filter is nested deeper than mongos reads
  refused,               ///< mongos rejects the filter for another reason (BadValue)
  bad_expression,        ///< $expr has an operator that MongoDB doesn't know
  malformed_expression,  ///< an object in $expr has another field besides an operator
  unbound_variable,      ///< $expr has a variable "$$name" that isn't defined
  bad_pattern,           ///< PCRE can't compile a regular expression
  bad_pattern_option,    ///< a regular expression has an option that MongoDB doesn't know
  near_in_stage,         ///< a $match has $near
};

/// Whether mongos rejects a filter with this fault. If not, scattergate can't read the filter,
/// or there is no fault.
[[nodiscard]] constexpr bool is_rejection(filter_fault fault) noexcept {
  return fault >= filter_fault::refused;
}

}  // namespace scattergate::routing
