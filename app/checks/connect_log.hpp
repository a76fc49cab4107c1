#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace scattergate::app {

/// Prints the steps of `check --connect` on standard output, one line as soon as each has
/// ended.
class connect_log {
 public:
  void ok(std::string_view what, std::string_view found);
  /// `advice`: what to do about it.
  void warn(std::string_view what, std::string_view found, std::string_view advice);
  void fail(std::string_view what, std::string_view cause, std::string_view advice);

  /// Prints the last line: how many steps passed and how many failed.
  void print_summary() const;

  [[nodiscard]] bool has_failures() const noexcept { return failures_ != 0; }

 private:
  std::size_t passed_ = 0;
  std::size_t warnings_ = 0;
  std::size_t failures_ = 0;
};

}  // namespace scattergate::app
