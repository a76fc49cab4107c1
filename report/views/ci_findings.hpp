#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/views/report_model.hpp"
#include "report/views/source_place.hpp"

/// What the views for continuous integration have in common.
namespace scattergate::report {

/// A finding, as such a view tells it.
struct ci_finding {
  const digest::row* of = nullptr;
  baseline_state state = baseline_state::none;
  /// By a comment, else where the catalog's file names the namespace; nothing: neither.
  std::optional<source_place> at;
  [[nodiscard]] bool is_accepted() const noexcept { return state == baseline_state::accepted; }
};

/// The findings, those first that no baseline accepts. Without a baseline all are new.
[[nodiscard]] std::vector<ci_finding> findings_of(const report_model& of);

/// Where the catalog's file, if that is of the repository, names a row's namespace: its own
/// entry or the pattern that it is called by; the first line where it doesn't.
[[nodiscard]] std::optional<source_place> place_in_catalog(const report_model& of,
                                                           const digest::row& one);

/// "find shop.orders asks every shard (missing_key)"
[[nodiscard]] std::string headline(const digest::row& of);

/// "find shop.orders b5552500e10fa16d is in the baseline, and wasn't seen"
[[nodiscard]] std::string absent_headline(const config::accepted_shape& of);

/// What to do, the shape and how often it was sent, in one line.
[[nodiscard]] std::string message(const report_model& in, const ci_finding& of);

/// The text without anything that nobody sees, in XML.
[[nodiscard]] std::string xml_text(std::string_view text);

}  // namespace scattergate::report
