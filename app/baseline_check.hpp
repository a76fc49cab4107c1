#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/baseline/baseline_comparison.hpp"
#include "text/days.hpp"
#include "text/problem.hpp"

namespace scattergate::app {

/// The baseline flags of `report` and `gate`.
struct baseline_flags {
  std::optional<std::string> file;   ///< --baseline
  std::optional<std::string> write;  ///< --write-baseline
  std::optional<std::string> fail_on;
};

/// Compares findings with a baseline: reads the file, rewrites it if requested, and decides
/// what fails.
class baseline_check {
 public:
  /// `otherwise`: what fails if --fail-on isn't given.
  baseline_check(const baseline_flags& given, report::fail_on otherwise);

  /// Reads the files. Returns what is wrong with them and the flags. Call it first.
  [[nodiscard]] std::vector<text::problem> load();

  /// Writes the new baseline, if requested: what was found is accepted from now on.
  [[nodiscard]] text::result<void> write(const digest::table& found);

  /// Compares the findings with the baseline; null if no baseline flag was given.
  [[nodiscard]] const report::baseline_comparison* compare(const digest::table& found);

  /// Whether the findings fail. REQUIRES: compare().
  [[nodiscard]] bool fails() const;

  /// Whether it fails, or why not, and what to do next: "2 new findings: ...". REQUIRES:
  /// compare().
  [[nodiscard]] std::string in_words() const;

 private:
  baseline_flags given_;
  report::fail_on fail_on_;
  text::day today_;
  config::baseline accepted_;
  std::optional<report::baseline_comparison> compared_;
};

}  // namespace scattergate::app
