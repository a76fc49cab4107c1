#include "report/views/advice_views.hpp"

#include <algorithm>

#include "advise/advice_words.hpp"
#include "digest/number_text.hpp"
#include "report/views/html_page.hpp"
#include "report/views/report_html.hpp"
#include "text/html_blocks.hpp"

namespace scattergate::report {
namespace {

/// Space reserved for the end of the page.
constexpr std::size_t room_for_advice_end = 20'000;

class advice_lines : terminal_lines {
 public:
  advice_lines(const advise::advice& of, const text_style& style)
      : terminal_lines(style), of_(of) {}

  std::string whole() {
    line(digest::with_commas(of_.shards) + " shards, equal chunks, rules of MongoDB " +
         of_.version.text());
    if (!of_.collections.empty()) line(advise::legend_text(of_.shards));
    for (const advise::collection_advice& one : of_.collections) {
      line("");
      collection(one);
    }
    if (of_.collections.empty()) line("no command on a collection in the sources");
    return take();
  }

 private:
  static std::string padded(std::string text, std::size_t width, bool is_right) {
    if (text.size() < width) text.insert(is_right ? 0 : text.size(), width - text.size(), ' ');
    return text;
  }

  template <typename Cells>
  void cells(const Cells& of, const std::array<std::size_t, advise::columns.size()>& widths) {
    std::string made;
    for (std::size_t i = 0; i < of.size(); ++i) {
      const bool is_last = i + 1 == of.size();
      made += padded(std::string{of[i]}, is_last ? 0 : widths[i], advise::columns[i].is_number);
      if (!is_last) made += "  ";
    }
    line(made);
  }

  void table(const advise::collection_advice& of) {
    std::array<std::string, advise::columns.size()> heads;
    std::array<std::size_t, advise::columns.size()> widths{};
    std::vector<std::array<std::string, advise::columns.size()>> rows;
    for (std::size_t i = 0; i < heads.size(); ++i) heads[i] = advise::columns[i].name;
    for (const std::size_t place : advise::places_in_table(of)) {
      rows.push_back(advise::row_of(place + 1, of.candidates[place]));
    }
    for (std::size_t i = 0; i < heads.size(); ++i) {
      widths[i] = heads[i].size();
      for (const auto& row : rows) widths[i] = std::max(widths[i], row[i].size());
    }
    cells(heads, widths);
    for (const auto& row : rows) cells(row, widths);
    if (const auto further = advise::further_keys_text(of.candidates.size() - rows.size());
        !further.empty()) {
      line(further);
    }
  }

  void collection(const advise::collection_advice& of) {
    strong(advise::head_text(of));
    line("  " + advise::conclusion_text(of));
    for (const std::string& one : of.unknown) line("  not known: " + one);
    if (of.candidates.empty()) return;
    line("");
    table(of);
    for (const std::size_t place : advise::places_in_full(of)) {
      const advise::candidate& one = of.candidates[place];
      line("");
      strong("#" + std::to_string(place + 1) + "  " + advise::key_text(one.key) + "  (" +
             std::string{label(one.from)} + ")");
      for (const auto& [name, text] : advise::facts_of(one, advise::present_in(of))) {
        constexpr std::size_t width = 12;
        line("  " + padded(std::string{name}, width, false) + text);
      }
    }
  }

  const advise::advice& of_;
};

}  // namespace

std::string advice_text(const advise::advice& of, const text_style& style) {
  return advice_lines{of, style}.whole();
}

std::string advice_page(const advise::advice& of) {
  std::string html;
  text::append_page_head(html, "Which shard key");
  html += html_style;
  html += "<h1>Which shard key</h1>\n<p class=\"dim\">" + std::to_string(of.shards) +
          " shards, equal chunks, rules of MongoDB " + of.version.text() + ".</p>\n";
  advise::append_advice_html(html, of, max_html_bytes - room_for_advice_end);
  html += html_foot;
  return html;
}

}  // namespace scattergate::report
