#include "telemetry/admin/page_collections.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "digest/number_text.hpp"
#include "telemetry/admin/page_parts.hpp"

namespace scattergate::telemetry {
namespace {

using routing::routing_class;

/// Collections shown; /api/v1/collections has more.
constexpr std::size_t max_collections = 200;

constexpr std::array columns = {"commands in the last minute",
                                "commands",
                                "one shard",
                                "several",
                                "every shard",
                                "findings",
                                "accepted",
                                "getMore",
                                "shard requests wasted"};

std::string name_of(const collection_table::collection& of) {
  return of.name.empty() ? of.database : of.database + "." + of.name;
}

void append_counts(std::string& html, std::string_view name, const collection_sums& of,
                   digest::wall_time now) {
  const auto of_class = [&of](routing_class each) {
    return of.counts.of[static_cast<std::size_t>(each)];
  };
  html += "<tr>";
  append_cell(html, name);
  append_number(html, of.recent.sum(now).commands());
  append_number(html, of.counts.commands());
  append_number(html, of_class(routing_class::single_shard));
  append_number(html, of_class(routing_class::multi_shard));
  append_number(html, of_class(routing_class::scatter_gather));
  append_number(html, of.counts.of[command_counts::findings], true);
  append_number(html, of.counts.of[command_counts::accepted]);
  append_number(html, of.counts.of[command_counts::get_more]);
  const auto wasted = of.counts.known_waste();
  wasted ? append_number(html, *wasted) : append_unknown(html);
  html += "</tr>\n";
}

}  // namespace

void append_collections(std::string& html, const live_digest::view& all) {
  html += R"(<section id="collections"><h2>Collections</h2>)"
          "\n<div>\n";
  const auto lines = all.collections.ranked();
  if (lines.empty()) {
    html += "<p>No commands yet.</p>\n</div></section>\n";
    return;
  }
  html += R"(<div class="scroll" tabindex="0" role="group" aria-label="Collections"><table>)";
  html += "<thead><tr><th>collection</th>";
  for (const char* column : columns) {
    html += std::string{R"(<th class="n">)"} + column + "</th>";
  }
  html += "</tr></thead><tbody>\n";
  const std::size_t shown = std::min(lines.size(), max_collections);
  for (std::size_t i = 0; i < shown; ++i) {
    append_counts(html, name_of(*lines[i]), *lines[i], all.now);
  }
  append_counts(html, "all of them", all.collections.all(), all.now);
  html += "</tbody></table></div>\n";
  if (shown != lines.size()) {
    html += "<p>And " + digest::with_commas(lines.size() - shown) + " more.</p>\n";
  }
  html += "</div></section>\n";
}

}  // namespace scattergate::telemetry
