#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace scattergate::app {

/// Prints the steps of `check --connect` on standard output: a line for each step, as soon as
/// the step has ended. `what`: the step's name. `found` and `cause`: its result.
class connect_log {
 public:
  /// The step passed.
  void ok(std::string_view what, std::string_view found);
  /// The step passed, but the user should change something. `advice`: what to change.
  void warn(std::string_view what, std::string_view found, std::string_view advice);
  /// The step failed. `advice`: what the user can do.
  void fail(std::string_view what, std::string_view cause, std::string_view advice);

  /// Prints the last line: how many steps passed, how many had warnings and how many failed.
  void print_summary() const;

  /// Whether any step failed.
  [[nodiscard]] bool has_failures() const noexcept { return failures_ != 0; }

 private:
  std::size_t passed_ = 0;
  std::size_t warnings_ = 0;
  std::size_t failures_ = 0;
};

}  // namespace scattergate::app
