#include "config/text/parse_problem.hpp"

#include <stdexcept>

namespace scattergate::config {

void throw_exception_from_error(const parse_problem& problem, const boost::source_location&) {
  throw std::runtime_error("line " + std::to_string(problem.line) + ": " + problem.what);
}

}  // namespace scattergate::config
