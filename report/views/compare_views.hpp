#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/compare/shape_changes.hpp"
#include "report/views/report_model.hpp"
#include "report/views/report_text.hpp"

/// Views of a comparison of two reports.

namespace scattergate::report {

/// The data for the views of a comparison: two reports and the changes of their shapes
/// (commands without their values). All references must outlive the model.
struct compare_model {
  const report_model& before;
  const report_model& after;
  const shape_changes& changes;    ///< between the tables that the two reports show
  digest::wall_time generated_at;  ///< when the comparison was made
  /// The maximum number of listed shapes of each kind; std::nullopt: default_rows in text and
  /// Markdown, no limit elsewhere.
  std::optional<std::size_t> top{};

  /// The number of shapes that a text or Markdown view lists if there are `shapes`.
  [[nodiscard]] std::size_t listed_of(std::size_t shapes) const noexcept {
    return std::min(shapes, top.value_or(default_rows));
  }
};

/// The comparison as text for a terminal.
[[nodiscard]] std::string compare_text(const compare_model& of, const text_style& style);
/// The comparison as Markdown, for a ticket or a pull request.
[[nodiscard]] std::string compare_markdown(const compare_model& of);

/// The comparison as one HTML page in the style of report_html(), at most max_html_bytes.
[[nodiscard]] std::string compare_html(const compare_model& of);

/// The comparison as one line of JSON (docs/comparison.schema.json).
[[nodiscard]] std::string compare_json(const compare_model& of);

}  // namespace scattergate::report
