#include "config/text/problem_log.hpp"

#include <stdexcept>
#include <utility>

#include "text/printable.hpp"

namespace scattergate::config {

void throw_exception_from_error(const parse_problem& problem, const boost::source_location&) {
  throw std::runtime_error("line " + std::to_string(problem.line) + ": " + problem.what);
}

void problem_log::add(std::size_t line, std::string_view what) {
  add_at(file_ + ":" + std::to_string(line), what);
}

void problem_log::add_at(std::string place, std::string_view what) {
  if (problems_.size() < max_problems) {
    problems_.push_back({std::move(place), text::printable(what)});
  } else if (problems_.size() == max_problems) {
    problems_.push_back({std::move(place), "more problems from here on are not shown"});
  }
}

}  // namespace scattergate::config
