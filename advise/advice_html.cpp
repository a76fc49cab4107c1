#include "advise/advice_html.hpp"

#include "advise/advice_words.hpp"
#include "advise/conclusion.hpp"
#include "digest/number_text.hpp"
#include "text/html_blocks.hpp"
#include "text/utf8.hpp"

namespace scattergate::advise {
namespace {

constexpr std::size_t most_of_text = 2'000;

std::string cut(std::string_view text) {
  return text::cut_with_dots(text, most_of_text);
}

void append_table(std::string& html, const collection_advice& of) {
  std::array<text::html_column, columns.size()> heads;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    heads[i] = {.name = columns[i].name, .is_number = columns[i].is_number};
  }
  text::append_table_begin(html, heads, "keys of " + cut(of.name_space));
  const auto places = places_in_table(of);
  for (const std::size_t place : places) {
    const auto cells = row_of(place + 1, of.candidates[place]);
    html += "<tr>";
    for (std::size_t i = 0; i < cells.size(); ++i) {
      columns[i].is_number ? text::append_number_cell(html, cells[i])
                           : text::append_cell(html, cut(cells[i]));
    }
    html += "</tr>\n";
  }
  text::append_table_end(html);
  if (const auto further = further_keys_text(of.candidates.size() - places.size());
      !further.empty()) {
    html += "<p>" + further + ".</p>\n";
  }
}

void append_heading(std::string& html, int level, std::string_view text) {
  const std::string name = "h" + std::to_string(level);
  html += "<" + name + ">" + text::html_text(cut(text)) + "</" + name + ">\n";
}

void append_candidate(std::string& html, std::size_t rank, const candidate& of,
                      const candidate* present, int heading) {
  append_heading(html, heading, std::to_string(rank) + ". " + key_text(of.key));
  html += "<dl>";
  std::vector<std::string> next;
  for (const auto& [name, text] : facts_of(of, present)) {
    if (name == "next") {
      next.push_back(cut(text));
    } else {
      text::append_fact(html, name, cut(text));
    }
  }
  html += "</dl>\n";
  for (const std::string& command : next) text::append_code(html, command);
  html += "\n";
}

void append_collection(std::string& html, const collection_advice& of, int heading) {
  append_heading(html, heading, head_text(of));
  html += "<p><strong>" + text::html_text(cut(conclusion_text(of))) + "</strong></p>\n";
  if (!of.unknown.empty()) {
    html += "<p>Not known, so no key is called safe:</p>\n<ul>";
    for (const std::string& one : of.unknown) {
      html += "<li>" + text::html_text(cut(one)) + "</li>";
    }
    html += "</ul>\n";
  }
  if (of.candidates.empty()) return;
  append_table(html, of);
  for (const std::size_t place : places_in_full(of)) {
    append_candidate(html, place + 1, of.candidates[place], present_in(of), heading + 1);
  }
}

}  // namespace

void append_advice_html(std::string& html, const advice& of, std::size_t max_bytes,
                        int heading) {
  if (!of.collections.empty()) {
    html += "<p class=\"dim\">" + text::html_text(legend_text(of.shards)) + "</p>\n";
  }
  std::size_t shown = 0;
  for (const collection_advice& one : of.collections) {
    std::string made;
    append_collection(made, one, heading);
    if (html.size() + made.size() > max_bytes) break;
    html += made;
    ++shown;
  }
  if (shown < of.collections.size()) {
    html += "<p>and " + digest::with_commas(of.collections.size() - shown) +
            " further collections.</p>\n";
  }
}

}  // namespace scattergate::advise
