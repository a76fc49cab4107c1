#include "config/problem.hpp"

#include <utility>

namespace scattergate::config {

std::string to_string(const problem& problem) {
  return problem.where + ": " + problem.what;
}

void problem_log::add(std::size_t line, std::string what) {
  add_at(file_ + ":" + std::to_string(line), std::move(what));
}

void problem_log::add_at(std::string where, std::string what) {
  if (problems_.size() < max_problems) {
    problems_.push_back({std::move(where), std::move(what)});
  } else if (problems_.size() == max_problems) {
    problems_.push_back({std::move(where), "more problems from here on are not shown"});
  }
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 80;
  std::string shown = "'";
  for (const char byte : text.substr(0, longest)) {
    const auto code = static_cast<unsigned char>(byte);
    shown += code < 0x20 || code == 0x7f ? '?' : byte;
  }
  shown += text.size() > longest ? "...'" : "'";
  return shown;
}

}  // namespace scattergate::config
