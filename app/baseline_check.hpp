#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/baseline/baseline_comparison.hpp"
#include "text/days.hpp"
#include "text/problem.hpp"

namespace scattergate::app {

/// What `report` and `gate` are told of a baseline.
struct baseline_flags {
  std::optional<std::string> file;   ///< --baseline
  std::optional<std::string> write;  ///< --write-baseline
  std::optional<std::string> fail_on;
};

/// Holds what was found against a baseline: reads it, rewrites it where that is asked for, and
/// says what fails.
class baseline_check {
 public:
  /// `otherwise`: what fails where nothing is said.
  baseline_check(const baseline_flags& given, report::fail_on otherwise);

  /// Before anything else is done: what is wrong with the flags and the files.
  [[nodiscard]] std::vector<text::problem> load();

  /// Where one is asked for. What was found is accepted from then on.
  [[nodiscard]] text::result<void> write(const digest::table& found);

  /// What is to be shown; null where nobody asked for a baseline.
  [[nodiscard]] const report::baseline_comparison* compare(const digest::table& found);

  /// REQUIRES: compare().
  [[nodiscard]] bool fails() const;

  /// Whether it fails, or why it doesn't, and what to do next: "2 new findings: ...".
  /// REQUIRES: compare().
  [[nodiscard]] std::string in_words() const;

 private:
  baseline_flags given_;
  report::fail_on fail_on_;
  text::day today_;
  config::baseline accepted_;
  std::optional<report::baseline_comparison> compared_;
};

}  // namespace scattergate::app
