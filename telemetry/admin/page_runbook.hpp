#pragma once

#include <string>
#include <string_view>

namespace scattergate::telemetry {

/// The runbook's path at the admin address, so that links work without the internet.
inline constexpr std::string_view runbook_path = "/runbook";

/// docs/runbook.md at build time, as an HTML page.
[[nodiscard]] const std::string& runbook_page();

/// Converts Markdown into a page: headings with GitHub's anchors, fenced code, inline code, and
/// links within the page. List items become paragraphs; everything else is text.
[[nodiscard]] std::string runbook_html(std::string_view markdown);

}  // namespace scattergate::telemetry
