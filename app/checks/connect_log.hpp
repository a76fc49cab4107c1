#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace scattergate::app {

/// Prints the steps of `check --connect` on standard output: a line for each step, as soon as
/// it has ended. In all functions, `what` is the step and `found` or `cause` its result.
class connect_log {
 public:
  /// The step passed.
  void ok(std::string_view what, std::string_view found);
  /// `advice`: what the user can do.
  void warn(std::string_view what, std::string_view found, std::string_view advice);
  /// The step failed.
  void fail(std::string_view what, std::string_view cause, std::string_view advice);

  /// Prints the last line: how many steps passed, how many had warnings and how many failed.
  void print_summary() const;

  [[nodiscard]] bool has_failures() const noexcept { return failures_ != 0; }

 private:
  std::size_t passed_ = 0;
  std::size_t warnings_ = 0;
  std::size_t failures_ = 0;
};

}  // namespace scattergate::app
