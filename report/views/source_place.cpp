#include "report/views/source_place.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>

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

/// The line number after a path: ":42", .NET's ":line 42", or "',line='42'".
unsigned line_behind(std::string_view rest) {
  const auto skip = [&rest](std::string_view any_of) {
    const bool is_there = !rest.empty() && any_of.find(rest.front()) != any_of.npos;
    if (is_there) rest.remove_prefix(1);
    return is_there;
  };
  if (skip(":")) {
    constexpr std::string_view word = "line ";
    if (rest.starts_with(word)) rest.remove_prefix(word.size());
    return line_at(rest);
  }
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

bool is_letter(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::string with_slashes(std::string_view path) {
  std::string slashed{path};
  std::ranges::replace(slashed, '\\', '/');  // as Windows writes paths
  return slashed;
}

/// Whether a path, with slashes, begins with a drive of Windows: "C:/".
bool has_drive(std::string_view path) noexcept {
  constexpr std::size_t size = 3;
  return path.size() >= size && is_letter(path[0]) && path[1] == ':' && path[2] == '/';
}

/// Whether `path` is below `root`. Windows ignores case.
bool is_below(std::string_view path, std::string_view root) {
  if (path.size() <= root.size() || path[root.size()] != '/') return false;
  const bool has_case = !has_drive(root);
  const auto folded = [has_case](char c) {
    return !has_case && c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  return std::ranges::equal(path.substr(0, root.size()), root, {}, folded, folded);
}

}  // namespace

std::string path_in_repository(std::string_view as_written, std::string_view root_as_written) {
  const std::string slashed = with_slashes(as_written);
  std::string root = with_slashes(root_as_written);
  while (root.ends_with('/')) root.pop_back();
  std::string_view path = slashed;
  if (!root.empty() && is_below(path, root)) path.remove_prefix(root.size() + 1);
  while (path.starts_with("./")) path.remove_prefix(2);
  const bool is_good = !path.empty() && path.front() != '/' && path.front() != '~' &&
                       path.size() <= most_of_path && !leads_upwards(path) &&
                       std::ranges::all_of(path, is_of_quoted_path) && text::is_plain(path);
  return is_good ? std::string{path} : std::string{};
}

namespace {

/// The path of a file URL ("file:///C:/a.js"); any other text as it is.
std::string_view without_scheme(std::string_view path) {
  constexpr std::string_view scheme = "file://";
  if (!path.starts_with(scheme)) return path;
  path.remove_prefix(scheme.size());
  path.remove_prefix(std::min(path.find_first_of("/\\"), path.size()));  // the host
  if (path.size() > 1 && has_drive(with_slashes(path.substr(1)))) path.remove_prefix(1);
  return path;
}

bool is_file_in(const repository& in, const std::string& path) {
  std::error_code error;
  return !path.empty() &&
         std::filesystem::is_regular_file(std::filesystem::path{in.root} / path, error);
}

/// The longest end of another system's absolute path that is a file of the repository. Empty if
/// there is none.
std::string known_end(std::string_view path, const repository& in) {
  for (const std::string_view installed :
       {"/site-packages/", "/dist-packages/", "/node_modules/"}) {
    if (path.find(installed) != path.npos) return {};
  }
  const std::size_t least_slashes = has_drive(path) ? 0 : 1;
  while (true) {
    path.remove_prefix(std::min(path.find('/'), path.size()));
    while (path.starts_with('/')) path.remove_prefix(1);
    const auto slashes = static_cast<std::size_t>(std::ranges::count(path, '/'));
    if (path.empty() || slashes < least_slashes) return {};
    if (std::string end = path_in_repository(path, {}); is_file_in(in, end)) return end;
  }
}

/// The path in the repository that a comment's path stands for; see place_in(). Empty if there
/// is none.
std::string path_of(std::string_view as_written, const repository& in) {
  const std::string path = with_slashes(without_scheme(as_written));
  const std::string inside = path_in_repository(path, in.root);
  if (path.starts_with('/') || has_drive(path)) {
    if (!in.has_files || is_file_in(in, inside)) return inside;
    return inside.empty() ? known_end(path, in) : std::string{};
  }
  std::string from_working;
  if (!in.working.empty() && path.size() <= most_of_path) {
    const auto joined = (std::filesystem::path{in.working} / path).lexically_normal();
    from_working = path_in_repository(joined.generic_string(), {});
  }
  if (!in.has_files) return inside.empty() ? from_working : inside;
  if (is_file_in(in, from_working)) return from_working;
  return is_file_in(in, inside) ? inside : std::string{};
}

/// The path at the start of `rest`, which may begin with a drive ("C:\src\a.py").
std::string_view path_at(std::string_view rest) {
  const auto size_from = [rest](std::size_t at) {
    while (at < rest.size() && is_of_path(rest[at])) ++at;
    return at;
  };
  const std::size_t size = size_from(0);
  const bool is_drive = size != 0 && is_letter(rest[size - 1]) &&
                        rest.find_first_not_of('/') == size - 1 &&
                        rest.substr(size).starts_with(':') && size + 1 < rest.size() &&
                        (rest[size + 1] == '/' || rest[size + 1] == '\\');
  return rest.substr(0, is_drive ? size_from(size + 1) : size);
}

/// Parses sqlcommenter's `file='path',line='42'`, with URL-encoded values.
std::optional<source_place> place_in_pairs(std::string_view comment, const repository& in) {
  for (const std::string_view name : {"file='", "filepath='", "filename='"}) {
    const std::size_t at = comment.find(name);
    if (at == comment.npos) continue;
    std::string_view rest = comment.substr(at + name.size());
    const std::size_t end = rest.find('\'');
    if (end == rest.npos) continue;
    const std::string path = text::percent_decoded(rest.substr(0, end));
    const unsigned line =
        is_source_file(with_slashes(path)) ? line_behind(rest.substr(end)) : 0;
    if (line == 0) continue;
    if (std::string inside = path_of(path, in); !inside.empty()) {
      return source_place{std::move(inside), line};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<source_place> place_in(std::string_view comment, const repository& in) {
  if (auto place = place_in_pairs(comment, in)) return place;
  // sqlcommenter URL-encodes values.
  const std::string text = text::percent_decoded(comment);
  const std::string_view whole = text;
  constexpr std::string_view scheme = "file:";
  for (std::size_t at = 0; at < whole.size();) {
    if (!is_of_path(whole[at])) {
      ++at;
      continue;
    }
    std::string_view path = path_at(whole.substr(at));
    const bool is_url = path.starts_with("//") && whole.substr(0, at).ends_with(scheme);
    if (is_url) path = whole.substr(at - scheme.size(), path.size() + scheme.size());
    at = static_cast<std::size_t>(path.end() - whole.begin());
    const unsigned line =
        is_source_file(with_slashes(path)) ? line_behind(whole.substr(at)) : 0;
    if (line == 0) continue;
    if (std::string inside = path_of(path, in); !inside.empty()) {
      return source_place{std::move(inside), line};
    }
  }
  return std::nullopt;
}

std::vector<source_place> places_of(const digest::row& one, const repository& in) {
  std::vector<source_place> places;
  for (const digest::caller& each : one.who.ranked()) {
    if (places.size() == most_places) break;
    auto place = place_in(each.comment, in);
    if (!place) continue;
    place->test = each.test;
    const auto known = std::ranges::find(places, *place);
    if (known == places.end()) {
      places.push_back(*std::move(place));
    } else if (known->test.empty()) {
      known->test = each.test;
    }
  }
  return places;
}

}  // namespace scattergate::report
