#include "telemetry/admin/page.hpp"

#include <chrono>
#include <cstdint>

#include "telemetry/admin/page_collections.hpp"
#include "telemetry/admin/page_conditions.hpp"
#include "telemetry/admin/page_findings.hpp"
#include "telemetry/admin/web_files.hpp"
#include "telemetry/metrics/build_info.hpp"
#include "telemetry/metrics/process_stats.hpp"
#include "text/html_blocks.hpp"
#include "text/html_text.hpp"
#include "text/time_text.hpp"

namespace scattergate::telemetry {
namespace {

// The Content-Security-Policy forbids inline scripts and styles. Addresses are relative, so
// that the page works below a path of a reverse proxy.
constexpr std::string_view title = "scattergate: what is wrong right now";
constexpr std::string_view page_links =
    R"(<link rel="icon" href="icon.svg"><link rel="stylesheet" href="page.css">
<script src="page.js" type="module"></script>
)";

constexpr std::string_view entry_script = "/page.js";

constexpr std::string_view page_tail = R"(</main>
<footer><p>More: <a href="metrics">metrics</a> (Prometheus),
<a href="api/v1/shapes">shapes</a> and <a href="api/v1/rules">rules</a> (JSON),
<a href="readyz">readyz</a>, <a href="healthz">healthz</a>; each finding is in the audit log.</p>
</footer></body></html>
)";

/// Preloads the script's modules in parallel, instead of one import after the other.
void append_preloads(std::string& html) {
  for (const web_file& each : web_files()) {
    if (!each.path.ends_with(".js") || each.path == entry_script) continue;
    html += R"(<link rel="modulepreload" href=")" + std::string{each.path.substr(1)} + "\">\n";
  }
}

void append_headline(std::string& html, const headline& top) {
  if (top.text.empty()) return;
  html += R"(<p id="headline" class=")" + std::string{label(top.level)} + R"(">)";
  html += text::html_text(top.text) + "</p>\n";
}

void append_state(std::string& html, std::string_view unready_reason) {
  html += R"(<h1>scattergate</h1><div id="state"><p>Version )" +
          text::html_text(this_build().version) + ", ";
  html += unready_reason.empty() ? "ready" : "not ready: " + text::html_text(unready_reason);
  const std::chrono::milliseconds start{
      static_cast<std::int64_t>(read_process_stats().start_time_seconds * 1e3)};
  html += ", since " + text::time_text(std::chrono::system_clock::time_point{start}) + ".</p>";
}

}  // namespace

std::string page_html(std::string_view unready_reason, live_digest* shapes,
                      const condition_board* conditions, const headline& top, bool has_fleet) {
  std::string html;
  text::append_page_head(html, title);
  html += page_links;
  append_preloads(html);
  html += "</head><body>\n<header>\n";
  append_headline(html, top);
  append_state(html, unready_reason);
  html += "</div></header>\n<main>\n";
  append_conditions_section(html, unready_reason, conditions);
  if (shapes != nullptr) {
    shapes->read_view([&](const live_digest::view& all) {
      append_findings(html, all);
      append_collections(html, all);
    });
  }
  if (has_fleet) html += R"(<p><a href="fleet">The whole fleet</a></p>)";
  html += page_tail;
  return html;
}

}  // namespace scattergate::telemetry
