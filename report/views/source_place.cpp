#include "report/views/source_place.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "text/percent.hpp"
#include "text/utf8.hpp"

namespace scattergate::report {
namespace {

constexpr std::size_t most_of_path = 240;

/// Extensions of source files, so that "example.com:8080" isn't taken for one.
constexpr std::array<std::string_view, 44> extensions = {
    "c",   "cc",   "clj", "cljs", "cpp",    "cs",  "cts",   "cxx",  "dart", "ex",  "exs",
    "erl", "fs",   "go",  "h",    "groovy", "hpp", "hs",    "java", "js",   "jsx", "kt",
    "kts", "lua",  "m",   "mjs",  "cjs",    "mm",  "mts",   "php",  "pl",   "pm",  "py",
    "pyi", "rake", "rb",  "rs",   "scala",  "sc",  "swift", "ts",   "tsx",  "vb",  "vue"};

bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

bool is_of_path(char c) noexcept {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         std::string_view{"_./-+@~\\"}.find(c) != std::string_view::npos ||
         static_cast<unsigned char>(c) >= 0x80;
}

/// A quoted path has an explicit end, so it may contain more characters.
bool is_of_quoted_path(char c) noexcept {
  return is_of_path(c) ||
         std::string_view{" ,()[]{}&=#!$%^;"}.find(c) != std::string_view::npos;
}

bool is_source_file(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const std::size_t dot = name.rfind('.');
  return dot != name.npos && dot != 0 &&
         std::ranges::find(extensions, name.substr(dot + 1)) != extensions.end();
}

bool leads_upwards(std::string_view path) {
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    if (path.substr(0, slash) == "..") return true;
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return false;
}

/// The line number at the start of `text`; 0 if there is none.
unsigned line_at(std::string_view text) {
  constexpr std::size_t most_digits = 7;
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  unsigned line = 0;
  if (digits <= most_digits) std::from_chars(text.data(), text.data() + digits, line);
  return line;
}

/// The line number after a path: ":42", or "',line='42'".
unsigned line_behind(std::string_view rest) {
  const auto skip = [&rest](std::string_view any_of) {
    const bool is_there = !rest.empty() && any_of.find(rest.front()) != any_of.npos;
    if (is_there) rest.remove_prefix(1);
    return is_there;
  };
  if (skip(":")) return line_at(rest);
  skip("'\"");
  if (!skip(",;&")) return 0;
  skip(" ");
  for (const std::string_view name : {"line", "lineno"}) {
    if (!rest.starts_with(name) || rest.size() == name.size()) continue;
    if (const char next = rest[name.size()]; next != '=' && next != ':') continue;
    rest.remove_prefix(name.size() + 1);
    skip("'\"");
    return line_at(rest);
  }
  return 0;
}

}  // namespace

std::string path_in_repository(std::string_view as_written, std::string_view root) {
  std::string slashed{as_written};
  std::ranges::replace(slashed, '\\', '/');  // as Windows writes paths
  std::string_view path = slashed;
  while (root.ends_with('/')) root.remove_suffix(1);
  if (!root.empty() && path.starts_with(root) && path.substr(root.size()).starts_with('/')) {
    path.remove_prefix(root.size() + 1);
  }
  while (path.starts_with("./")) path.remove_prefix(2);
  const bool is_good = !path.empty() && path.front() != '/' && path.front() != '~' &&
                       path.size() <= most_of_path && !leads_upwards(path) &&
                       std::ranges::all_of(path, is_of_quoted_path) && text::is_plain(path);
  return is_good ? std::string{path} : std::string{};
}

namespace {

/// Parses sqlcommenter's `file='path',line='42'`, with URL-encoded values.
std::optional<source_place> place_in_pairs(std::string_view comment, std::string_view root) {
  for (const std::string_view name : {"file='", "filepath='", "filename='"}) {
    const std::size_t at = comment.find(name);
    if (at == comment.npos) continue;
    std::string_view rest = comment.substr(at + name.size());
    const std::size_t end = rest.find('\'');
    if (end == rest.npos) continue;
    const std::string path = text::percent_decoded(rest.substr(0, end));
    const unsigned line = is_source_file(path) ? line_behind(rest.substr(end)) : 0;
    if (line == 0) continue;
    if (std::string inside = path_in_repository(path, root); !inside.empty()) {
      return source_place{std::move(inside), line};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<source_place> place_in(std::string_view comment, std::string_view root) {
  if (auto place = place_in_pairs(comment, root)) return place;
  // sqlcommenter URL-encodes values.
  const std::string text = text::percent_decoded(comment);
  std::string_view rest = text;
  while (!rest.empty()) {
    const auto begin = std::ranges::find_if(rest, is_of_path);
    rest.remove_prefix(static_cast<std::size_t>(begin - rest.begin()));
    const auto end = std::ranges::find_if_not(rest, is_of_path);
    const std::string_view path = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
    rest.remove_prefix(path.size());
    const unsigned line = is_source_file(path) ? line_behind(rest) : 0;
    if (line == 0) continue;
    if (std::string inside = path_in_repository(path, root); !inside.empty()) {
      return source_place{std::move(inside), line};
    }
  }
  return std::nullopt;
}

std::optional<source_place> place_of(const digest::row& one, std::string_view root) {
  for (const digest::caller& each : one.who.ranked()) {
    if (auto place = place_in(each.comment, root)) return place;
  }
  return std::nullopt;
}

}  // namespace scattergate::report
