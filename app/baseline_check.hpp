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
  std::optional<std::string> file;     ///< --baseline
  std::optional<std::string> write;    ///< --write-baseline
  std::optional<std::string> fail_on;  ///< --fail-on
};

/// Compares findings with a baseline: reads the baseline's file, rewrites it if requested, and
/// decides whether the findings fail the run.
class baseline_check {
 public:
  /// `otherwise`: which findings fail the run if --fail-on isn't given.
  baseline_check(const baseline_flags& given, report::fail_on otherwise);

  /// Parses --fail-on and reads the baseline's file. Returns their problems. Call it first.
  [[nodiscard]] std::vector<text::problem> load();

  /// With --write-baseline, writes a baseline that accepts all findings in `found`, and
  /// compares with it from now on. Otherwise does nothing.
  [[nodiscard]] text::result<void> write(const digest::table& found);

  /// Compares the findings with the baseline. Returns null if neither --baseline nor
  /// --write-baseline was given and findings can't fail the run; fails() then is false.
  [[nodiscard]] const report::baseline_comparison* compare(const digest::table& found);

  /// Whether the findings fail the run. False before compare().
  [[nodiscard]] bool fails() const;

  /// The result and what to do next, for people: "2 new findings: ...". REQUIRES: compare() was
  /// called.
  [[nodiscard]] std::string in_words() const;

 private:
  baseline_flags given_;
  report::fail_on fail_on_;
  text::day today_;
  config::baseline accepted_;
  std::optional<report::baseline_comparison> compared_;
};

}  // namespace scattergate::app
