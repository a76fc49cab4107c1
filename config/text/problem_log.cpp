#include "config/text/problem_log.hpp"

#include <utility>

#include "text/printable.hpp"

namespace scattergate::config {

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
