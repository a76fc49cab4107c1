#include "text/problem.hpp"

#include "text/printable.hpp"

namespace scattergate::text {

std::string to_string(const problem& problem) {
  return printable(problem.where + ": " + problem.what);
}

}  // namespace scattergate::text
