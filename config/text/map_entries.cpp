#include "config/text/map_entries.hpp"

#include <unordered_set>

#include "config/text/scalars.hpp"

namespace scattergate::config {

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
      problems.add(key.line(), "key " + in_quotes(key.text()) + " is given twice");
    } else {
      entries.push_back({key.text(), held, key.line()});
    }
  }
  return entries;
}

void report_unknown(const map_entry& entry, std::string_view where,
                    const std::vector<std::string_view>& known, problem_log& problems) {
  std::string text =
      "unknown key " + in_quotes(entry.key) + " in " + std::string{where} + " (known:";
  for (const std::string_view one : known) text += " " + std::string{one};
  problems.add(entry.line, text + ")");
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
    problems.add(entry.line,
                 std::string{entry.key} + ": true or false is wanted, not " + in_quotes(text));
    return false;
  }
  to = *on;
  return true;
}

}  // namespace scattergate::config
