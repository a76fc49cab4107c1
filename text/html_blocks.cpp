#include "text/html_blocks.hpp"

#include <array>
#include <cstdio>

#include "text/utf8.hpp"

namespace scattergate::text {
namespace {

std::string_view entity_of(char letter) {
  switch (letter) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

}  // namespace

std::string html_text(std::string_view text) {
  if (!is_utf8(text)) return html_text(to_utf8(text));
  std::string safe;
  safe.reserve(text.size());
  while (!text.empty()) {
    if (const auto unseen = invisible_at(text); unseen.bytes != 0) {
      std::array<char, 8> code{};
      std::snprintf(code.data(), code.size(), "\\u%04x", static_cast<unsigned>(unseen.code));
      safe += code.data();
      text.remove_prefix(unseen.bytes);
      continue;
    }
    const std::string_view entity = entity_of(text.front());
    if (entity.empty()) {
      safe += text.front();
    } else {
      safe += entity;
    }
    text.remove_prefix(1);
  }
  return safe;
}

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
