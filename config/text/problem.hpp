#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace scattergate::config {

/// What is wrong with a file, an environment variable or a flag, and where.
struct problem {
  std::string where;  ///< "scattergate.yaml:12", "SCATTERGATE_AUDIT_FILE", "--threads"
  std::string what;   ///< in words
  friend bool operator==(const problem&, const problem&) = default;
};

/// "where: what".
[[nodiscard]] std::string to_string(const problem& problem);

/// The problems of one file as they are met, bounded: a file of a million bad lines gives a
/// hundred problems and one that says so.
class problem_log {
 public:
  static constexpr std::size_t max_problems = 100;

  explicit problem_log(std::string file) : file_(std::move(file)) {}

  // What is wrong may quote the file: it is made printable.
  void add(std::size_t line, std::string_view what);  ///< at "file:line"
  void add_at(std::string where, std::string_view what);

  [[nodiscard]] bool is_empty() const noexcept { return problems_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return problems_.size(); }
  [[nodiscard]] bool is_full() const noexcept { return problems_.size() > max_problems; }
  [[nodiscard]] const std::string& file() const noexcept { return file_; }
  [[nodiscard]] std::vector<problem> take() { return std::move(problems_); }

 private:
  std::string file_;
  std::vector<problem> problems_;
};

/// Makes a text from outside fit for a terminal and for the log of a CI job: one line of UTF-8,
/// with a `?` for each character that can't be seen (routing/text/unseen.hpp) and, where the
/// text isn't UTF-8, for each byte that isn't ASCII. A backslash breaks what a CI runner takes
/// for a command anywhere in a line (routing/text/ci_commands.hpp).
[[nodiscard]] std::string printable(std::string_view text);

/// As printable(), for a whole line: a backslash before `::` at its start too, by which
/// GitHub's runner knows `::error::` and `::stop-commands::`.
[[nodiscard]] std::string printable_line(std::string_view line);

/// printable_line() for each line of a text, which end as they did.
[[nodiscard]] std::string printable_lines(std::string_view text);

/// A string from outside as a problem shows it: in quotes, cut where it is long, printable.
[[nodiscard]] std::string in_quotes(std::string_view text);

}  // namespace scattergate::config
