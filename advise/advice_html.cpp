#include "advise/advice_html.hpp"

#include "advise/advice_words.hpp"
#include "digest/number_text.hpp"
#include "text/html_blocks.hpp"
#include "text/html_text.hpp"
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
  if (places.size() < of.candidates.size()) {
    html += "<p>and " + digest::with_commas(of.candidates.size() - places.size()) +
            " further keys.</p>\n";
  }
}

void append_candidate(std::string& html, std::size_t rank, const candidate& of) {
  html += "<h3>" + std::to_string(rank) + ". " + text::html_text(cut(key_text(of.key))) +
          "</h3>\n<dl>";
  std::string next;
  for (const auto& [name, text] : facts_of(of)) {
    if (name == "next") {
      next += cut(text) + "\n";
    } else {
      text::append_fact(html, name, cut(text));
    }
  }
  html += "</dl>\n";
  text::append_code(html, next);
}

void append_collection(std::string& html, const collection_advice& of) {
  html += "<h2>" + text::html_text(cut(head_text(of))) + "</h2>\n";
  if (!of.unknown.empty()) {
    html += "<p>Not known, so no key is called safe:</p>\n<ul>";
    for (const std::string& one : of.unknown) {
      html += "<li>" + text::html_text(cut(one)) + "</li>";
    }
    html += "</ul>\n";
  }
  if (of.candidates.empty()) {
    html += "<p>No filter pins a field by equality, and no key was given.</p>\n";
    return;
  }
  append_table(html, of);
  for (const std::size_t place : places_in_full(of)) {
    append_candidate(html, place + 1, of.candidates[place]);
  }
}

}  // namespace

void append_advice_html(std::string& html, const advice& of, std::size_t max_bytes) {
  std::size_t shown = 0;
  for (const collection_advice& one : of.collections) {
    std::string made;
    append_collection(made, one);
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
