#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <prometheus/metric_family.h>

namespace scattergate::telemetry {

/// The page for people, a self-contained HTML document: what this is, whether it is ready, the
/// commands per collection and class, the findings, and where to look further.
/// `unready_reason`: empty when ready.
[[nodiscard]] std::string page_html(const std::vector<prometheus::MetricFamily>& families,
                                    std::string_view unready_reason);

/// `text` with what HTML would read as markup escaped.
[[nodiscard]] std::string html_escaped(std::string_view text);

}  // namespace scattergate::telemetry
