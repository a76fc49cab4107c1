#include "config/text/map_entries.hpp"

#include <algorithm>
#include <unordered_set>

#include "config/text/scalars.hpp"
#include "text/names.hpp"
#include "text/printable.hpp"

namespace scattergate::config {
namespace {

/// Whether a text may be shown as a key. Other content of a file may be anything, even a
/// password.
bool looks_like_key(std::string_view text) {
  constexpr std::size_t longest = 40;
  constexpr std::string_view in_keys =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.$";
  return !text.empty() && text.size() <= longest &&
         text.find_first_not_of(in_keys) == text.npos;
}

/// "key 'x'", or a replacement if the text may not be shown.
std::string named(std::string_view key) {
  return looks_like_key(key) ? "key " + text::in_quotes(key) : std::string{"a key"};
}

std::string names_of(const std::vector<std::string_view>& known) {
  std::string text;
  for (const std::string_view one : known) {
    if (!text.empty()) text += ' ';
    text += one;
  }
  return text;
}

}  // namespace

std::vector<map_entry> entries_of(const text_tree::node& value, std::string_view what,
                                  problem_log& problems) {
  std::vector<map_entry> entries;
  if (value.is_null()) return entries;
  if (!value.is_map()) {
    problems.add(value.line(), std::string{what} + " must be a map of keys and values");
    return entries;
  }
  std::unordered_set<std::string_view> seen;
  for (auto at = value.begin(); at != value.end(); ++at) {
    const text_tree::node key = *at;
    const text_tree::node held = *++at;
    if (!key.is_scalar()) {
      problems.add(key.line(), "a key of " + std::string{what} + " isn't text");
    } else if (!seen.insert(key.text()).second) {
      problems.add(key.line(), named(key.text()) + " is given twice");
    } else {
      entries.push_back({key.text(), held, key.line()});
    }
  }
  return entries;
}

void report_unknown(const map_entry& entry, std::string_view place,
                    const std::vector<std::string_view>& known, problem_log& problems) {
  std::string text = "unknown key ";
  if (looks_like_key(entry.key)) text += text::in_quotes(entry.key) + " ";
  text += "in " + std::string{place} + " (known: " + names_of(known) + ")";
  problems.add(entry.line, text + text::did_you_mean(entry.key, known));
}

bool reject_foreign(const std::vector<map_entry>& entries, std::string_view what,
                    const std::vector<std::string_view>& known, problem_log& problems) {
  const auto is_known = [&](const map_entry& one) {
    return std::find(known.begin(), known.end(), one.key) != known.end();
  };
  if (entries.empty() || std::any_of(entries.begin(), entries.end(), is_known)) return false;
  const bool is_slip = std::any_of(entries.begin(), entries.end(), [&](const map_entry& one) {
    return !text::nearest(one.key, known).empty();
  });
  if (is_slip) return false;
  problems.add(entries.front().line, "this isn't " + std::string{what} +
                                         ": it has none of the keys (" + names_of(known) + ")");
  return true;
}

std::vector<text_tree::node> members_of(const text_tree::node& value, std::string_view what,
                                        problem_log& problems) {
  if (value.is_null()) return {};
  if (!value.is_list()) {
    problems.add(value.line(), std::string{what} + " must be a list");
    return {};
  }
  return {value.begin(), value.end()};
}

bool read_text(const map_entry& entry, std::string& to, problem_log& problems) {
  if (!entry.value.is_scalar()) {
    problems.add(entry.value.line(), std::string{entry.key} + " must be a single value");
    return false;
  }
  if (entry.value.is_null()) {
    problems.add(entry.line, std::string{entry.key} + " has no value");
    return false;
  }
  to = entry.value.text();
  return true;
}

bool read_flag(const map_entry& entry, bool& to, problem_log& problems) {
  std::string text;
  if (!read_text(entry, text, problems)) return false;
  const auto on = parse_switch(text);
  if (!on) {
    problems.add(entry.line, std::string{entry.key} + ": expected true or false, not " +
                                 text::in_quotes(text));
    return false;
  }
  to = *on;
  return true;
}

}  // namespace scattergate::config
