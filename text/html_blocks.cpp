#include "text/html_blocks.hpp"

#include "text/html_text.hpp"

namespace scattergate::text {

void append_page_head(std::string& html, std::string_view title) {
  html += R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>)";
  html += html_text(title) + "</title>\n";
}

void append_table_begin(std::string& html, std::span<const html_column> columns,
                        std::string_view name) {
  html += R"(<div class="scroll")";
  if (!name.empty()) {
    html += R"( tabindex="0" role="group" aria-label=")" + html_text(name) + '"';
  }
  html += "><table><thead><tr>";
  for (const html_column& each : columns) {
    html += "<th";
    if (each.is_number) html += R"( class="n")";
    if (each.sorts_by != 0) html += std::string{R"( data-sort=")"} + each.sorts_by + '"';
    html += '>' + html_text(each.name) + "</th>";
  }
  html += "</tr></thead><tbody>\n";
}

void append_table_end(std::string& html, std::string_view foot_html) {
  html += "</tbody>";
  if (!foot_html.empty()) html.append("<tfoot>").append(foot_html).append("</tfoot>");
  html += "</table></div>\n";
}

void append_cell(std::string& html, std::string_view text) {
  html += "<td>" + html_text(text) + "</td>";
}

void append_number_cell(std::string& html, std::string_view text, weight of,
                        std::optional<std::uint64_t> sort_by) {
  html += of == weight::bad ? R"(<td class="n bad")" : R"(<td class="n")";
  if (sort_by) html += R"( data-v=")" + std::to_string(*sort_by) + '"';
  html += '>' + html_text(text) + "</td>";
}

void append_tile(std::string& html, std::string_view number, std::string_view what) {
  html +=
      R"(<div class="tile"><b>)" + html_text(number) + "</b>" + html_text(what) + "</div>\n";
}

void append_fact(std::string& html, std::string_view name, std::string_view text) {
  append_fact_html(html, name, html_text(text));
}

void append_fact_html(std::string& html, std::string_view name, std::string_view fact_html) {
  if (fact_html.empty()) return;
  html += "<dt>" + html_text(name) + "</dt><dd>";
  html.append(fact_html).append("</dd>\n");
}

void append_code(std::string& html, std::string_view text) {
  if (!text.empty()) html += "<pre>" + html_text(text) + "</pre>";
}

void append_code_fact(std::string& html, std::string_view name, std::string_view text) {
  std::string code;
  append_code(code, text);
  append_fact_html(html, name, code);
}

}  // namespace scattergate::text
