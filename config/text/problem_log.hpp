#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "config/text/parse_problem.hpp"
#include "text/problem.hpp"

namespace scattergate::config {

/// Collects the problems of one file, up to a limit: a file with a million bad lines yields a
/// hundred problems and one that says there are more.
class problem_log {
 public:
  static constexpr std::size_t max_problems = 100;

  explicit problem_log(std::string file) : file_(std::move(file)) {}

  // Adds a problem. `what` may quote the file: it is made printable.
  void add(std::size_t line, std::string_view what);  ///< at "file:line"
  void add(const parse_problem& found) { add(found.line, found.what); }
  void add_at(std::string place, std::string_view what);

  [[nodiscard]] bool is_empty() const noexcept { return problems_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return problems_.size(); }
  [[nodiscard]] bool is_full() const noexcept { return problems_.size() > max_problems; }
  [[nodiscard]] const std::string& file() const noexcept { return file_; }
  [[nodiscard]] std::vector<text::problem> take() { return std::move(problems_); }

 private:
  std::string file_;
  std::vector<text::problem> problems_;
};

}  // namespace scattergate::config
