#include "config/options_file.hpp"

#include <algorithm>
#include <filesystem>

#include "config/input.hpp"
#include "config/map_entries.hpp"
#include "config/rule_reader.hpp"
#include "config/settings.hpp"
#include "config/text_readers.hpp"

namespace scattergate::config {
namespace {

constexpr std::size_t max_listeners = 64;

void report_bad(const map_entry& entry, const std::string& wanted, std::string_view text,
                problem_log& problems) {
  problems.add(entry.value.line(),
               std::string{entry.key} + ": " + wanted + ", not " + in_quotes(text));
}

// Files to read are looked for beside the file that names them.
std::string beside(const std::string& file, const std::string& named) {
  return (std::filesystem::path{file}.parent_path() / named).string();
}

void read_setting(const map_entry& entry, const setting& known, options& to,
                  problem_log& problems) {
  std::string text;
  if (!read_text(entry, text, problems)) return;
  const bool is_file_to_read = known.section == "catalog" && known.key == "source" &&
                               !text.empty() && text != "mongos" &&
                               text.substr(0, 7) != "preset:";
  const std::string wrong =
      known.set(to, is_file_to_read ? beside(problems.file(), text) : text);
  if (!wrong.empty()) report_bad(entry, wrong, text, problems);
}

void read_upstream(const map_entry& entry, listener_options& to, problem_log& problems) {
  if (entry.value.is_scalar()) {
    std::string text;
    if (!read_text(entry, text, problems)) return;
    const std::string wrong = set_upstream(to, text);
    if (!wrong.empty()) report_bad(entry, wrong, text, problems);
    return;
  }
  for (const text_tree::node& one : members_of(entry.value, "upstream", problems)) {
    const std::string wrong =
        one.is_scalar() ? add_upstream(to, one.text()) : std::string{"an address is wanted"};
    if (!wrong.empty()) {
      problems.add(one.line(), "upstream: " + wrong + ", not " + in_quotes(one.text()));
    }
  }
}

listener_options read_listener(const text_tree::node& value, problem_log& problems) {
  listener_options made;
  for (const map_entry& entry : entries_of(value, "a listener", problems)) {
    if (entry.key == "listen") {
      std::string text;
      if (!read_text(entry, text, problems)) continue;
      const std::string wrong = set_listen(made, text);
      if (!wrong.empty()) report_bad(entry, wrong, text, problems);
    } else if (entry.key == "upstream") {
      read_upstream(entry, made, problems);
    } else {
      report_unknown(entry, "a listener", listener_keys(), problems);
    }
  }
  return made;
}

std::vector<std::size_t> read_listeners(const map_entry& entry, options& to,
                                        problem_log& problems) {
  std::vector<std::size_t> lines;
  for (const text_tree::node& one : members_of(entry.value, "listeners", problems)) {
    if (to.listeners.size() == max_listeners) {
      problems.add(one.line(), "more than " + std::to_string(max_listeners) + " listeners");
      break;
    }
    to.listeners.push_back(read_listener(one, problems));
    lines.push_back(one.line());
  }
  return lines;
}

std::vector<std::string_view> keys_of_section(std::string_view section) {
  std::vector<std::string_view> keys;
  for (const setting& one : settings()) {
    if (one.section == section) keys.push_back(one.key);
  }
  return keys;
}

std::vector<std::string_view> keys_of_file() {
  std::vector<std::string_view> keys = {"listeners", "rules"};
  for (const setting& one : settings()) {
    const std::string_view key = one.section.empty() ? one.key : one.section;
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  }
  return keys;
}

void read_section(const map_entry& section, options& to, problem_log& problems) {
  for (const map_entry& entry : entries_of(section.value, section.key, problems)) {
    if (const setting* known = find_setting(section.key, entry.key)) {
      read_setting(entry, *known, to, problems);
    } else {
      report_unknown(entry, section.key, keys_of_section(section.key), problems);
    }
  }
}

std::vector<std::size_t> read_tree(const text_tree::node& root, options& to,
                                   problem_log& problems) {
  std::vector<std::size_t> lines;
  for (const map_entry& entry : entries_of(root, "the configuration", problems)) {
    if (entry.key == "listeners") {
      lines = read_listeners(entry, to, problems);
    } else if (entry.key == "rules") {
      to.rules = read_rules(entry.value, problems);
    } else if (const setting* known = find_setting("", entry.key)) {
      read_setting(entry, *known, to, problems);
    } else if (!entry.key.empty() && !keys_of_section(entry.key).empty()) {
      read_section(entry, to, problems);
    } else {
      report_unknown(entry, "the configuration", keys_of_file(), problems);
    }
  }
  return lines;
}

}  // namespace

std::vector<std::size_t> read_options_file(const std::string& file, options& to,
                                           problem_log& problems) {
  const file_content content = read_file(file, max_config_bytes);
  if (!content.error.empty()) {
    problems.add_at(file, content.error);
    return {};
  }
  const parsed_text parsed = parse_yaml(content.text);
  if (!parsed.error.empty()) {
    problems.add(parsed.error_line, parsed.error);
    return {};
  }
  if (parsed.tree.is_empty()) return {};
  return read_tree(parsed.tree.root(), to, problems);
}

std::vector<std::string_view> listener_keys() {
  return {"listen", "upstream"};
}

}  // namespace scattergate::config
