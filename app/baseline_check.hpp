#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/baseline/baseline_comparison.hpp"
#include "text/problem.hpp"
#include "text/time_text.hpp"

namespace scattergate::app {

/// The flags of `report` and `gate` about a baseline, the file of accepted findings. A finding
/// is a query shape whose commands ask every shard, because their filter doesn't bound the
/// shard key.
struct baseline_flags {
  std::optional<std::string> file;     ///< --baseline: the file to compare with
  std::optional<std::string> write;    ///< --write-baseline: the file to write
  std::optional<std::string> fail_on;  ///< --fail-on: never, new or any

  /// The file that has the accepted findings after the run; unset: none.
  [[nodiscard]] const std::optional<std::string>& named() const noexcept {
    return write ? write : file;
  }
};

/// Compares findings with a baseline, and decides whether they fail the run. Also writes a new
/// baseline if requested. Call load(), then write(), then compare().
class baseline_check {
 public:
  /// `otherwise`: which findings fail the run if the flag --fail-on isn't given.
  baseline_check(const baseline_flags& given, report::fail_on otherwise);

  /// Parses --fail-on, and reads the file of --baseline. Without --baseline, reads the file of
  /// --write-baseline if it exists, to keep its reasons and authors. Returns the problems;
  /// empty: none.
  [[nodiscard]] std::vector<text::problem> load();

  /// If --write-baseline is given, writes a baseline that accepts all findings in `found`;
  /// compare() then uses the new baseline. Otherwise does nothing. Returns a problem if the
  /// file can't be written.
  [[nodiscard]] text::result<void> write(const digest::table& found);

  /// Compares the findings in `found` with the baseline. Returns null if there is nothing to
  /// compare: neither --baseline nor --write-baseline is given, and findings never fail the
  /// run. This object owns the result, which is valid until the next call.
  [[nodiscard]] const report::baseline_comparison* compare(const digest::table& found);

  /// Whether the findings fail the run. False before compare().
  [[nodiscard]] bool fails() const;

  /// The result and what to do next, for people: "2 new findings: ...". REQUIRES: compare()
  /// was called.
  [[nodiscard]] std::string in_words() const;

 private:
  baseline_flags given_;
  report::fail_on fail_on_;
  text::day today_;
  config::baseline accepted_;
  std::optional<report::baseline_comparison> compared_;
};

}  // namespace scattergate::app
