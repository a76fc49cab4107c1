#pragma once

#include <span>
#include <string_view>

namespace scattergate::telemetry {

/// A file that the page loads: a module of its script, style sheet, icon (telemetry/admin/web).
/// Files of their own, so that the Content-Security-Policy allows nothing inline.
struct web_file {
  std::string_view path;
  std::string_view content_type;
  std::string_view text;
};

/// All of them.
[[nodiscard]] std::span<const web_file> web_files() noexcept;

/// Null where there is no such file.
[[nodiscard]] const web_file* find_web_file(std::string_view path) noexcept;

/// docs/runbook.md.
[[nodiscard]] std::string_view runbook_text() noexcept;

}  // namespace scattergate::telemetry
