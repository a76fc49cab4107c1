#pragma once

#include <span>
#include <string_view>

namespace scattergate::telemetry {

/// A file that the page loads: a script module, a style sheet or an icon (telemetry/admin/web).
/// Separate files let the Content-Security-Policy forbid inline code.
struct web_file {
  std::string_view path;
  std::string_view content_type;
  std::string_view text;
};

/// All files of the page.
[[nodiscard]] std::span<const web_file> web_files() noexcept;

/// Null for an unknown path.
[[nodiscard]] const web_file* find_web_file(std::string_view path) noexcept;

/// docs/runbook.md.
[[nodiscard]] std::string_view runbook_text() noexcept;

}  // namespace scattergate::telemetry
