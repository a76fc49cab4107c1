#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/views/report_model.hpp"
#include "report/views/source_place.hpp"

/// Common code of the views for continuous integration.
namespace scattergate::report {

/// A finding as the views for CI show it: SARIF, JUnit, GitHub, GitLab. A finding is a shape of
/// commands that go to all shards, because the filter doesn't bound the shard key.
struct ci_finding {
  const digest::row* of = nullptr;              ///< the shape; a row of the model's table
  baseline_state state = baseline_state::none;  ///< is_new if there is no baseline
  /// The places in the repository: from the commands' comments, the most frequent sender first;
  /// otherwise the result of place_of_namespace(). Empty if neither gives a place.
  std::vector<source_place> at;
  bool is_at_call_site = false;  ///< whether `at` is from comments
  /// Whether the baseline accepts the finding.
  [[nodiscard]] bool is_accepted() const noexcept { return state == baseline_state::accepted; }
};

/// The findings that the report shows, in its order: unaccepted ones first. Without a
/// baseline, all findings are new.
[[nodiscard]] std::vector<ci_finding> findings_of(const report_model& of);

/// The line of the catalog's file that names a row's namespace, by an entry or by a pattern;
/// the file's first line if no line does. If the file isn't in the repository:
/// report_model::otherwise_at.
[[nodiscard]] std::optional<source_place> place_of_namespace(const report_model& of,
                                                             const digest::row& one);

/// The path that SARIF and GitLab's Code Quality report name if a finding has no place: code
/// hosts refuse a whole file if one finding has no path.
inline constexpr std::string_view no_path = "not-listed-by-a-comment";

/// A place of a finding, for views that have an entry for each.
struct ci_site {
  const ci_finding* of = nullptr;
  const source_place* at = nullptr;  ///< null: the finding has no place
  /// Distinguishes the finding's places in one file: 1 for the first line, 2 for the next.
  std::size_t number_in_file = 1;
  bool is_first = true;  ///< the finding's first place by path and line, or the only one
};

/// All places of a finding, in its order. If it has none: one without a place.
[[nodiscard]] std::vector<ci_site> sites_of(const ci_finding& of);

/// A place as text: "src/orders.py:42".
[[nodiscard]] std::string to_string(const source_place& at);

/// A finding in a few words: "find shop.orders asks every shard (missing_key)".
[[nodiscard]] std::string headline(const digest::row& of);

/// A shape of the baseline that isn't a finding in the report: "find shop.orders
/// b5552500e10fa16d is in the baseline, and wasn't seen".
[[nodiscard]] std::string absent_headline(const config::accepted_shape& of);

/// A test that was running when a finding's place sent the command; without a place in the
/// source code, when any caller did. Empty: unknown.
[[nodiscard]] std::string test_of(const ci_site& of);

/// Describes a finding at one of its places in one line: the fix, the test, the shape, its
/// number of commands, and its state in the baseline.
[[nodiscard]] std::string message(const report_model& in, const ci_site& at);

/// Escapes a text for XML. Replaces invisible characters.
[[nodiscard]] std::string xml_text(std::string_view text);

}  // namespace scattergate::report
