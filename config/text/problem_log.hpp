#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <boost/system/result.hpp>

#include "config/text/file_stamp.hpp"
#include "text/problem.hpp"

namespace scattergate::config {

/// Why a text can't be parsed: a line and a description. The caller adds the file's name.
struct parse_problem {
  std::size_t line;  ///< from 1
  std::string what;  ///< the description, for people
};

/// A parsed value, or the problem.
template <typename Value>
using parse_result = boost::system::result<Value, parse_problem>;

/// Throws std::runtime_error("line N: what"). parse_result::value() calls this function if
/// there is no value.
[[noreturn]] void throw_exception_from_error(const parse_problem& problem,
                                             const boost::source_location& caller);

/// Collects the problems that are found in one file, up to max_problems. If there are more, one
/// additional problem says so. Also collects the files that are read in addition, because the
/// file names them.
class problem_log {
 public:
  /// The maximum number of problems.
  static constexpr std::size_t max_problems = 100;

  /// `file`: the file's name in problems.
  explicit problem_log(std::string file) : file_(std::move(file)) {}

  /// Adds a problem at "file:line". `what`: the message, which may quote the file; it is made
  /// printable.
  void add(std::size_t line, std::string_view what);
  /// Adds a problem that a parser found, at its line.
  void add(const parse_problem& found) { add(found.line, found.what); }
  /// Adds a problem at a place in any form, such as a setting's name. `what` is made printable.
  void add_at(std::string place, std::string_view what);

  /// Notes that a file is about to be read.
  void note_file(std::string path) { files_.push_back(stamp_of(std::move(path))); }
  /// Returns the files that were noted, and leaves this object without any.
  [[nodiscard]] files_read take_files() { return std::move(files_); }

  [[nodiscard]] bool is_empty() const noexcept { return problems_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return problems_.size(); }
  /// Whether there were more problems than the maximum. add() and add_at() then do nothing.
  [[nodiscard]] bool is_full() const noexcept { return problems_.size() > max_problems; }
  /// The file's name in problems.
  [[nodiscard]] const std::string& file() const noexcept { return file_; }
  /// Returns the problems, and leaves this object without any.
  [[nodiscard]] std::vector<text::problem> take() { return std::move(problems_); }

 private:
  std::string file_;
  std::vector<text::problem> problems_;
  files_read files_;
};

}  // namespace scattergate::config
