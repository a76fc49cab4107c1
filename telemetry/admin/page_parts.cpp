#include "telemetry/admin/page_parts.hpp"

#include "digest/number_text.hpp"
#include "text/html_text.hpp"

namespace scattergate::telemetry {

using text::html_text;

void append_cell(std::string& html, std::string_view text) {
  html += "<td>" + text::html_text(text) + "</td>";
}

void append_number(std::string& html, std::uint64_t number, bool is_bad) {
  html += is_bad && number != 0 ? R"(<td class="n bad">)" : R"(<td class="n">)";
  html += number == 0 ? std::string{} : digest::with_commas(number);
  html += "</td>";
}

void append_unknown(std::string& html) {
  html += R"(<td class="n">?</td>)";
}

void append_fact(std::string& html, std::string_view name, std::string_view text) {
  if (text.empty()) return;
  html += "<dt>" + text::html_text(name) + "</dt><dd>" + text::html_text(text) + "</dd>\n";
}

void append_code(std::string& html, std::string_view name, std::string_view text) {
  if (text.empty()) return;
  html += "<dt>" + text::html_text(name) + "</dt><dd><pre>" + text::html_text(text) +
          "</pre></dd>\n";
}

}  // namespace scattergate::telemetry
