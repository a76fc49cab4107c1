#pragma once

#include <string>
#include <string_view>

namespace scattergate::telemetry {

/// Where the runbook is at the admin address, so that links to it work without the internet.
inline constexpr std::string_view runbook_path = "/runbook";

/// docs/runbook.md, as it was when this was built, as a page.
[[nodiscard]] const std::string& runbook_page();

/// Markdown as a page: headings with GitHub's anchors, fenced code, code in a line, links
/// within the page; a list's items are paragraphs. Everything else is text.
[[nodiscard]] std::string runbook_html(std::string_view markdown);

}  // namespace scattergate::telemetry
