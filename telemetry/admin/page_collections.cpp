#include "telemetry/admin/page_collections.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "digest/number_text.hpp"
#include "telemetry/admin/advice_answer.hpp"
#include "text/html_blocks.hpp"
#include "text/html_text.hpp"
#include "text/percent.hpp"

namespace scattergate::telemetry {
namespace {

using routing::routing_class;

/// The maximum number of collections on the page; /api/v1/collections returns more.
constexpr std::size_t max_collections = 200;

constexpr auto columns = std::to_array<text::html_column>({
    {.name = "collection"},
    {.name = "commands in the last minute", .is_number = true},
    {.name = "commands", .is_number = true},
    {.name = "one shard", .is_number = true},
    {.name = "several", .is_number = true},
    {.name = "every shard", .is_number = true},
    {.name = "findings", .is_number = true},
    {.name = "accepted", .is_number = true},
    {.name = "getMore", .is_number = true},
    {.name = "shard requests wasted", .is_number = true},
});

/// Appends a cell with a number; an empty cell for zero.
void append_number(std::string& html, std::uint64_t number,
                   text::weight of = text::weight::plain) {
  if (number == 0) return text::append_number_cell(html, {});
  text::append_number_cell(html, digest::with_commas(number), of);
}

std::string name_of(const collection_table::collection& of) {
  return of.name.empty() ? of.database : of.database + "." + of.name;
}

/// The name; for a collection, also a link to the advice on its shard key.
std::string name_html(const collection_table::collection& of) {
  const std::string name = name_of(of);
  std::string html = text::html_text(name);
  if (of.name.empty()) return html;
  return html + "<br><a href=\"" + std::string{advice_page_path.substr(1)} +
         "?ns=" + text::percent_encoded(name) + "\">which shard key</a>";
}

void append_counts(std::string& html, std::string_view cell_html, const collection_sums& of,
                   digest::wall_time now) {
  const auto of_class = [&of](routing_class each) {
    return of.counts.of[static_cast<std::size_t>(each)];
  };
  html += "<tr><td>" + std::string{cell_html} + "</td>";
  append_number(html, of.recent.sum(now).commands());
  append_number(html, of.counts.commands());
  append_number(html, of_class(routing_class::single_shard));
  append_number(html, of_class(routing_class::multi_shard));
  append_number(html, of_class(routing_class::scatter_gather));
  append_number(html, of.counts.of[command_counts::findings], text::weight::bad);
  append_number(html, of.counts.of[command_counts::accepted]);
  append_number(html, of.counts.of[command_counts::get_more]);
  const auto wasted = of.counts.known_waste();
  wasted ? append_number(html, *wasted) : text::append_number_cell(html, "?");
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
  text::append_table_begin(html, columns, "Collections");
  const std::size_t shown = std::min(lines.size(), max_collections);
  for (std::size_t i = 0; i < shown; ++i) {
    append_counts(html, name_html(*lines[i]), *lines[i], all.now);
  }
  append_counts(html, "all of them", all.collections.all(), all.now);
  text::append_table_end(html);
  if (shown != lines.size()) {
    html += "<p>And " + digest::with_commas(lines.size() - shown) + " more.</p>\n";
  }
  html += "</div></section>\n";
}

}  // namespace scattergate::telemetry
