#pragma once

#include <string>
#include <string_view>

namespace scattergate::telemetry {

/// The path at which the admin server serves the runbook (instructions for operators), so that
/// links to it work offline.
inline constexpr std::string_view runbook_path = "/runbook";

/// The runbook (docs/runbook.md) as an HTML page, in the version that was built into this
/// program.
[[nodiscard]] const std::string& runbook_page();

/// Converts Markdown to an HTML page. Supports headings with GitHub's anchors, fenced code,
/// inline code and links within the page. List items become paragraphs; everything else is
/// text.
[[nodiscard]] std::string runbook_html(std::string_view markdown);

}  // namespace scattergate::telemetry
