#pragma once

#include <span>
#include <string>
#include <string_view>

#include "telemetry/admin/health.hpp"
#include "telemetry/conditions/condition_board.hpp"
#include "telemetry/shapes/live_digest.hpp"

namespace scattergate::telemetry {

/// A static file of the page, from telemetry/admin/web: a script module, a style sheet or an
/// icon. The files are separate from the page, so that its Content-Security-Policy can forbid
/// inline code.
struct web_file {
  std::string_view path;          ///< the path in its URL, such as "/page.css"
  std::string_view content_type;  ///< the header Content-Type
  std::string_view text;          ///< the file's content
};

/// All files of the page.
[[nodiscard]] std::span<const web_file> web_files() noexcept;

/// The file with this path; null if no file has it.
[[nodiscard]] const web_file* find_web_file(std::string_view path) noexcept;

/// The path at which the admin server serves the runbook (instructions for operators), so that
/// links to it work offline.
inline constexpr std::string_view runbook_path = "/runbook";

/// The runbook (docs/runbook.md) as an HTML page, in the version that was built into this
/// program.
[[nodiscard]] std::string_view runbook_page() noexcept;

/// Renders the page's first HTML: a summary for browsers without JavaScript, of the active
/// conditions (problems of the daemon), the current findings (shapes to report, worst first,
/// with senders and fixes), and the collections; at most 20 of each. The script /page.js
/// replaces it. `unready_reason`: health::unready_reason(); empty if the daemon is ready.
/// `shapes`, `conditions`: null if not available. `top`: the headline, omitted if its text is
/// empty. `has_fleet`: whether to add a link to /fleet.
[[nodiscard]] std::string page_html(std::string_view unready_reason, live_digest* shapes,
                                    const condition_board* conditions = nullptr,
                                    const headline& top = {}, bool has_fleet = false);

}  // namespace scattergate::telemetry
