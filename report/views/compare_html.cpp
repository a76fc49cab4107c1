// The part of compare_views that makes an HTML page.

#include <array>

#include "digest/number_text.hpp"
#include "report/views/compare_views.hpp"
#include "report/views/html_page.hpp"
#include "report/views/report_html.hpp"
#include "routing/shape/shape.hpp"
#include "text/html_blocks.hpp"
#include "text/time_text.hpp"
#include "text/utf8.hpp"

namespace scattergate::report {
namespace {

using text::html_text;

constexpr std::size_t most_of_source = 2'000;
constexpr std::size_t most_sources = 20;

constexpr auto change_columns = std::to_array<text::html_column>({
    {"commands", true},
    {"shards", true},
    {"wasted", true},
    {"time", true},
    {.name = "routing"},
    {.name = "command"},
    {.name = "shape"},
    {.name = "change"},
});

class comparison_page {
 public:
  explicit comparison_page(const compare_model& of) : of_(of) {}

  std::string whole() {
    text::append_page_head(html_, html_title);
    html_ += html_style;
    html_ += "<h1>What changed</h1>\n<p class=\"dim\">" + text::time_text(of_.generated_at) +
             "</p>\n";
    side("Before", of_.before);
    side("After", of_.after);
    for (const std::string& limit : limits_of(of_)) html_ += "<p>" + limit + ".</p>\n";
    sums();
    html_ += "<p>Shapes: " + counts_text(of_) + ".</p>\n";
    for (const auto& [kind, title] : listed_changes) list(kind, title);
    html_ += html_foot;
    return std::move(html_);
  }

 private:
  void side(const std::string& name, const report_model& of) {
    html_ += "<p><b>" + name + "</b> " + html_text(side_text(of)) + "</p>\n";
    std::size_t listed = 0;
    for (const source_facts& one : of.sources) {
      if (listed++ == most_sources) break;
      html_ += "<p class=\"dim\">" +
               html_text(text::cut_with_dots(source_text(one), most_of_source)) + "</p>\n";
    }
  }

  void sums() {
    const std::string basis = basis_text(of_);
    text::append_table_begin(
        html_, std::array<text::html_column, 4>{
                   {{.name = basis}, {"before", true}, {"after", true}, {"change", true}}});
    for (const compared_sum& one : sums_of(of_)) {
      html_ += "<tr>";
      text::append_cell(html_, one.name);
      for (const std::string* each : {&one.before, &one.after, &one.change}) {
        text::append_number_cell(html_, *each);
      }
      html_ += "</tr>\n";
    }
    text::append_table_end(html_);
  }

  void list(change kind, const std::string& title) {
    const auto& all = of_.changes.of(kind);
    if (all.empty()) return;
    html_ += "<h2>" + title + ", " + basis_text(of_) + "</h2>\n";
    text::append_table_begin(html_, change_columns);
    const std::size_t limit = std::min(all.size(), of_.top.value_or(all.size()));
    std::size_t listed = 0;
    while (listed < limit && html_.size() + room_for_end < max_html_bytes) {
      shape(all[listed++]);
    }
    text::append_table_end(html_);
    if (listed < all.size()) {
      html_ += "<p>and " + digest::with_commas(all.size() - listed) + " further shapes.</p>\n";
    }
  }

  void shape(const shape_change& one) {
    const bool is_gone = one.after == nullptr;
    const digest::row& row = one.shape();
    const shape_sums sums =
        sums_of(row, is_gone ? of_.changes.hours_before() : of_.changes.hours_after());
    const std::string name{label(row.what.routing)};
    html_ += "<tr>";
    for (const std::string* each : {&sums.commands, &sums.shards, &sums.wasted, &sums.time}) {
      text::append_number_cell(html_, *each);
    }
    html_ += "<td class=\"k " + name + "\">" + name + "</td>";
    text::append_cell(html_, text::cut_with_dots(row.command, most_of_name) + " " +
                                 text::cut_with_dots(row.name_space(), most_of_name));
    html_ += "<td><code>" + html_text(text::cut_with_dots(row.what.shape_json, most_of_shape)) +
             "</code><br>" + routing::shape_hash_text(row.shape_hash) + "</td>";
    text::append_cell(html_, change_text(of_, one));
    html_ += "</tr>\n";
  }

  const compare_model& of_;
  std::string html_;
};

}  // namespace

std::string compare_html(const compare_model& of) {
  return comparison_page{of}.whole();
}

}  // namespace scattergate::report
