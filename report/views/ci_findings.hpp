#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/views/report_model.hpp"
#include "report/views/source_place.hpp"

/// Common code of the views for continuous integration.
namespace scattergate::report {

/// A finding as the views for CI show it: SARIF, JUnit, GitHub, GitLab.
struct ci_finding {
  const digest::row* of = nullptr;
  baseline_state state = baseline_state::none;
  /// The place in the repository: from the command's comment, otherwise the line of the
  /// catalog's file that names the namespace; nothing if neither is known.
  std::optional<source_place> at;
  [[nodiscard]] bool is_accepted() const noexcept { return state == baseline_state::accepted; }
};

/// The findings, those that no baseline accepts first. Without a baseline all are new.
[[nodiscard]] std::vector<ci_finding> findings_of(const report_model& of);

/// The line of the catalog's file that names a row's namespace, by its own entry or by a
/// pattern; its first line if none does. std::nullopt if the file isn't in the repository.
[[nodiscard]] std::optional<source_place> place_in_catalog(const report_model& of,
                                                           const digest::row& one);

/// "find shop.orders asks every shard (missing_key)"
[[nodiscard]] std::string headline(const digest::row& of);

/// "find shop.orders b5552500e10fa16d is in the baseline, and wasn't seen"
[[nodiscard]] std::string absent_headline(const config::accepted_shape& of);

/// The fix, the shape and its number of commands, in one line.
[[nodiscard]] std::string message(const report_model& in, const ci_finding& of);

/// The text escaped for XML, without invisible characters.
[[nodiscard]] std::string xml_text(std::string_view text);

}  // namespace scattergate::report
