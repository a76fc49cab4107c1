#include "telemetry/admin/page_runbook.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>

#include "telemetry/admin/web_files.hpp"
#include "text/html_blocks.hpp"
#include "text/html_text.hpp"

namespace scattergate::telemetry {
namespace {

using text::html_text;

constexpr std::string_view page_title = "scattergate: runbook";
constexpr std::string_view runbook_links =
    R"(<link rel="icon" href="icon.svg"><link rel="stylesheet" href="page.css"></head><body>
<main>
)";
constexpr std::string_view runbook_tail = "</main></body></html>\n";
constexpr std::string_view fence = "```";

std::string_view without_indent(std::string_view line) {
  return line.substr(std::min(line.find_first_not_of(' '), line.size()));
}

/// The anchor that GitHub makes of a heading: "A client's TLS fails" becomes
/// "a-clients-tls-fails".
std::string anchor_of(std::string_view heading) {
  std::string anchor;
  for (const char each : heading) {
    const auto byte = static_cast<unsigned char>(each);
    if (each == ' ') {
      anchor += '-';
    } else if (std::isalnum(byte) != 0 || each == '-' || each == '_' || byte >= 0x80) {
      anchor += static_cast<char>(std::tolower(byte));
    }
  }
  return anchor;
}

/// Whether a line begins a list item: "- " or "12. ".
bool begins_item(std::string_view line) {
  if (line.starts_with("- ")) return true;
  const std::size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
  return digits != 0 && line.substr(digits).starts_with(". ");
}

/// Appends the item at `at` (code, a link or a character) and moves `at` past it.
void append_next(std::string& html, std::string_view text, std::size_t& at) {
  const auto between = [&](std::size_t begin, std::size_t end) {
    return text::html_text(text.substr(begin, end - begin));
  };
  if (text[at] == '`') {
    if (const std::size_t end = text.find('`', at + 1); end != text.npos) {
      html += "<code>" + between(at + 1, end) + "</code>";
      at = end + 1;
      return;
    }
  }
  const std::size_t middle = text[at] == '[' ? text.find("](", at) : text.npos;
  const std::size_t end = middle != text.npos ? text.find(')', middle) : text.npos;
  if (end != text.npos) {
    const std::string words = between(at + 1, middle);
    const std::string target = between(middle + 2, end);
    html += target.starts_with('#') ? R"(<a href=")" + target + R"(">)" + words + "</a>"
                                    : words + " (" + target + ")";
    at = end + 1;
    return;
  }
  const std::size_t next = std::min(text.find_first_of("`[", at + 1), text.size());
  html += between(at, next);
  at = next;
}

std::string in_line(std::string_view text) {
  std::string html;
  for (std::size_t at = 0; at < text.size();) append_next(html, text, at);
  return html;
}

/// Converts lines of Markdown into HTML, one after the other.
class markdown_reader {
 public:
  void read(std::string_view line) {
    const std::string_view text = without_indent(line);
    if (text.starts_with(fence)) {
      end_paragraph();
      html_ += is_code_ ? "</pre>\n" : "<pre>";
      is_code_ = !is_code_;
      indent_ = line.size() - text.size();
    } else if (is_code_) {
      const std::size_t indent = std::min(indent_, line.size() - text.size());
      html_ += text::html_text(line.substr(indent)) + "\n";
    } else if (line.starts_with('#')) {
      read_heading(line);
    } else if (text.empty()) {
      end_paragraph();
    } else {
      if (begins_item(text)) end_paragraph();
      if (!paragraph_.empty()) paragraph_ += ' ';
      paragraph_ += text;
    }
  }

  [[nodiscard]] std::string end() {
    end_paragraph();
    if (is_code_) html_ += "</pre>\n";
    return std::move(html_);
  }

 private:
  void read_heading(std::string_view line) {
    end_paragraph();
    const std::size_t level =
        std::min({line.find_first_not_of('#'), line.size(), std::size_t{6}});
    const std::string_view title = without_indent(line.substr(level));
    const std::string tag = "h" + std::to_string(level);
    html_ += "<" + tag + R"( id=")" + text::html_text(anchor_of(title)) + R"(">)";
    html_ += in_line(title) + "</" + tag + ">\n";
  }

  void end_paragraph() {
    if (!paragraph_.empty()) html_ += "<p>" + in_line(paragraph_) + "</p>\n";
    paragraph_.clear();
  }

  std::string html_;
  std::string paragraph_;
  bool is_code_ = false;
  std::size_t indent_ = 0;  // indent of the code fence
};

}  // namespace

std::string runbook_html(std::string_view markdown) {
  markdown_reader reader;
  while (!markdown.empty()) {
    const std::string_view line = markdown.substr(0, markdown.find('\n'));
    reader.read(line);
    markdown.remove_prefix(std::min(line.size() + 1, markdown.size()));
  }
  std::string html;
  text::append_page_head(html, page_title);
  html += runbook_links;
  html += reader.end();
  html += runbook_tail;
  return html;
}

const std::string& runbook_page() {
  static const std::string page = runbook_html(runbook_text());
  return page;
}

}  // namespace scattergate::telemetry
