#include "proxy/judging/comment.hpp"

#include <algorithm>
#include <optional>

#include "text/utf8.hpp"
#include "wire/trace_context.hpp"

namespace scattergate::proxy {
namespace {

/// The number of a comment's first bytes that are searched for trace contexts: more than the
/// bytes that are kept.
constexpr std::size_t searched_bytes = 1024;

/// The maximum number of a document's fields that are examined. A trace context has three.
constexpr std::size_t max_fields = 8;

/// version "-" trace-id "-" parent-id "-" flags (W3C, Trace Context, section 3.2).
constexpr std::string_view traceparent_form =
    "xx-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx-xxxxxxxxxxxxxxxx-xx";

/// A range of a text.
struct part {
  std::size_t begin = 0;
  std::size_t end = 0;
};

bool is_hex(char c) noexcept {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool is_word(char c) noexcept {
  return is_hex(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_quote(char c) noexcept {
  return c == '\'' || c == '"';
}
constexpr std::string_view separators = ",;& ";
bool is_separator(char c) noexcept {
  return separators.find(c) != separators.npos;
}

bool is_traceparent_at(std::string_view text, std::size_t at) noexcept {
  const auto found = text.substr(at, traceparent_form.size());
  if (found.size() != traceparent_form.size()) return false;
  if (at != 0 && is_word(text[at - 1])) return false;
  const std::size_t end = at + found.size();
  if (end != text.size() && is_word(text[end])) return false;
  return std::ranges::equal(found, traceparent_form, [](char c, char form) {
    return form == 'x' ? is_hex(c) : c == form;
  });
}

/// Extends the range to the left over `name` and the separators between it and its value;
/// leaves it unchanged if there is another name or none.
void take_in_name(std::string_view text, std::string_view name, part& found) noexcept {
  std::size_t at = found.begin;
  const auto back_over = [&](auto is_one) {
    while (at != 0 && is_one(text[at - 1])) --at;
  };
  back_over([](char c) { return c == ' '; });
  if (at == 0 || (text[at - 1] != '=' && text[at - 1] != ':')) return;
  --at;
  back_over([](char c) { return c == ' ' || is_quote(c); });
  if (!text.substr(0, at).ends_with(name)) return;
  at -= name.size();
  back_over(is_quote);
  found.begin = at;
}

void take_in_quotes(std::string_view text, part& found) noexcept {
  const bool is_quoted = found.begin != 0 && found.end != text.size() &&
                         is_quote(text[found.begin - 1]) &&
                         text[found.begin - 1] == text[found.end];
  if (!is_quoted) return;
  --found.begin;
  ++found.end;
}

/// Extends the range over the separator on its left, or else on its right.
void take_in_separators(std::string_view text, part& found) noexcept {
  const std::size_t begin = found.begin;
  while (found.begin != 0 && is_separator(text[found.begin - 1])) --found.begin;
  if (found.begin != 0 && found.begin != begin) return;
  while (found.end != text.size() && is_separator(text[found.end])) ++found.end;
}

/// The position of the next traceparent, starting at `from`; npos if there is none.
std::size_t traceparent_at(std::string_view text, std::size_t from) noexcept {
  constexpr std::size_t first_dash = 2;
  std::size_t dash = text.find('-', from + first_dash);
  while (dash != text.npos && !is_traceparent_at(text, dash - first_dash)) {
    dash = text.find('-', dash + 1);
  }
  return dash == text.npos ? dash : dash - first_dash;
}

/// The next traceparent, starting at `from`, with its name and quotes.
std::optional<part> find_traceparent(std::string_view text, std::size_t from) noexcept {
  const std::size_t at = traceparent_at(text, from);
  if (at == text.npos) return std::nullopt;
  part found{at, at + traceparent_form.size()};
  while (found.end != text.size() && (text[found.end] == '-' || is_word(text[found.end]))) {
    ++found.end;  // later versions may have more fields
  }
  take_in_quotes(text, found);
  take_in_name(text, "traceparent", found);
  take_in_separators(text, found);
  found.begin = std::max(found.begin, from);
  return found;
}

/// The next `tracestate` with a quoted value, starting at `from`.
std::optional<part> find_tracestate(std::string_view text, std::size_t from) noexcept {
  constexpr std::string_view name = "tracestate";
  const std::size_t at = text.find(name, from);
  if (at == text.npos) return std::nullopt;
  std::size_t value = at + name.size();
  while (value < text.size() && (text[value] == ' ' || is_quote(text[value]))) ++value;
  if (value == text.size() || (text[value] != '=' && text[value] != ':')) return std::nullopt;
  ++value;
  while (value < text.size() && text[value] == ' ') ++value;
  if (value == text.size() || !is_quote(text[value])) return std::nullopt;
  const std::size_t end = text.find(text[value], value + 1);
  part found{value, end == text.npos ? text.size() : end + 1};
  take_in_name(text, name, found);
  take_in_separators(text, found);
  found.begin = std::max(found.begin, from);
  return found;
}

std::optional<part> first_of(std::optional<part> a, std::optional<part> b) noexcept {
  if (!a || !b) return a ? a : b;
  return a->begin <= b->begin ? a : b;
}

/// The field `traceparent` of a document; empty if absent.
std::string_view traceparent_among(wire::document_view document) noexcept {
  wire::document_reader reader{document};
  std::size_t fields = 0;
  for (wire::element field; fields != max_fields && reader.next(field); ++fields) {
    if (field.key() == "traceparent" && field.is_string()) return field.as_string();
  }
  return {};
}

/// The `text` of a document that has a trace context; std::nullopt for any other document.
std::optional<std::string_view> text_beside_trace(wire::document_view document) noexcept {
  bool has_trace = false;
  std::string_view text;
  wire::document_reader reader{document};
  std::size_t fields = 0;
  for (wire::element field; fields != max_fields && reader.next(field); ++fields) {
    if (field.key() == "traceparent") has_trace = true;
    if (field.key() == "text" && field.is_string()) text = field.as_string();
  }
  return has_trace ? std::optional{text} : std::nullopt;
}

}  // namespace

std::string_view traceparent_in_comment(wire::document_view body) noexcept {
  const auto field = wire::find_field(body, "comment");
  if (!field) return {};
  std::string_view text;
  if (field->is_string()) {
    text = field->as_string().substr(0, searched_bytes);
    const auto at = traceparent_at(text, 0);
    text = at == text.npos ? std::string_view{} : text.substr(at);
  } else if (const auto document = field->as_document()) {
    text = traceparent_among(*document);
  }
  text = text.substr(0, traceparent_form.size());
  return wire::is_traceparent(text) ? text : std::string_view{};
}

std::string_view comment_text::read(const wire::command& command) noexcept {
  const auto field = wire::find_field(command.body, "comment");
  if (!field) return {};
  if (field->is_string()) return without_trace(field->as_string());
  const auto document = field->as_document();
  if (!document) return field->is_document() ? "?object" : "?value";
  const auto text = text_beside_trace(*document);
  return text ? without_trace(*text) : "?object";
}

std::string_view comment_text::without_trace(std::string_view text) noexcept {
  const auto searched = text.substr(0, searched_bytes);
  auto cut = find_traceparent(searched, 0);
  if (!cut) return text::cut_utf8(text, wire::limits::max_comment_bytes);
  cut = first_of(find_tracestate(searched, 0), cut);
  std::size_t size = 0;
  std::size_t at = 0;
  bool has_words = false;
  const auto keep = [&](std::string_view piece) {
    if (!has_words && at != 0) {  // no words precede it, so it needs no separators in front
      piece.remove_prefix(std::min(piece.find_first_not_of(separators), piece.size()));
    }
    has_words = has_words || std::ranges::any_of(piece, is_word);
    size += piece.copy(kept_.data() + size, kept_.size() - size);
  };
  for (; cut; cut = first_of(find_traceparent(searched, at), find_tracestate(searched, at))) {
    keep(searched.substr(at, cut->begin - at));
    at = cut->end;
  }
  keep(searched.substr(at));
  // Nothing meaningful remains of "/*traceparent='..'*/".
  if (!has_words) return {};
  return text::cut_utf8({kept_.data(), size}, wire::limits::max_comment_bytes);
}

}  // namespace scattergate::proxy
