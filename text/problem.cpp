#include "text/problem.hpp"

#include <stdexcept>

#include "text/printable.hpp"

namespace scattergate::text {

std::string to_string(const problem& problem) {
  return printable(problem.where.empty() ? problem.what : problem.where + ": " + problem.what);
}

void throw_exception_from_error(const problem& problem, const boost::source_location&) {
  throw std::runtime_error(to_string(problem));
}

}  // namespace scattergate::text
