#pragma once

#include <cstdio>
#include <cstdlib>
#include <source_location>

namespace scattergate::fuzz {

/// Ends the program where a property that every input must have doesn't hold; prints the place.
inline void require(bool condition,
                    std::source_location where = std::source_location::current()) {
  if (condition) return;
  std::fprintf(stderr, "%s:%u: does not hold\n", where.file_name(), where.line());
  std::abort();
}

}  // namespace scattergate::fuzz
