#include "config/options/options_file.hpp"

#include <algorithm>
#include <filesystem>

#include "config/options/rule_reader.hpp"
#include "config/options/settings.hpp"
#include "config/text/input.hpp"
#include "config/text/map_entries.hpp"
#include "config/text/text_readers.hpp"
#include "text/printable.hpp"

namespace scattergate::config {
namespace {

constexpr std::size_t max_listeners = 64;

// Paths of files to read are relative to the file that names them.
std::string relative_to(const std::string& file, const std::string& named) {
  return (std::filesystem::path{file}.parent_path() / named).string();
}

/// Joins the members of a list with commas; false if one isn't plain text.
bool read_list(const map_entry& entry, std::string& to, problem_log& problems) {
  for (const text_tree::node& one : members_of(entry.value, entry.key, problems)) {
    if (!one.is_scalar()) {
      problems.add(one.line(), std::string{entry.key} + ": expected text");
      return false;
    }
    to.append(to.empty() ? "" : ", ").append(one.text());
  }
  return true;
}

template <typename Of>
void read_setting(const map_entry& entry, const setting_of<Of>& known, Of& to,
                  problem_log& problems) {
  std::string text;
  const bool is_list = known.may_be_list && entry.value.is_list();
  if (!(is_list ? read_list(entry, text, problems) : read_text(entry, text, problems))) return;
  const bool is_file = known.names_file != nullptr && known.names_file(text);
  const auto set = known.set(to, is_file ? relative_to(problems.file(), text) : text);
  if (set) return;
  problems.add(entry.value.line(), std::string{entry.key} + ": " + set.error().what + ", not " +
                                       text::in_quotes(text));
}

void read_upstreams(const map_entry& entry, listener_options& to, problem_log& problems) {
  for (const text_tree::node& one : members_of(entry.value, "upstream", problems)) {
    const auto added =
        one.is_scalar() ? add_upstream(to, one.text()) : text::failure("expected an address");
    if (added) continue;
    problems.add(one.line(),
                 "upstream: " + added.error().what + ", not " + text::in_quotes(one.text()));
  }
}

/// Reads one listener.
class listener_reader {
 public:
  /// `name` is the listener's name in `from`.
  listener_reader(listener_options& to, std::string name, origins& from, problem_log& problems)
      : to_(to), name_(std::move(name)), from_(from), problems_(problems) {}

  void read(const text_tree::node& value) {
    note("", value.line());
    const std::size_t before = problems_.size();
    const auto entries = entries_of(value, "a listener", problems_);
    mark_wrong_since(before, name_);
    for (const map_entry& entry : entries) {
      const std::size_t problems_so_far = problems_.size();
      const listener_setting* known = find_listener_setting("", entry.key);
      if (known != nullptr) {
        read_known(entry, *known);
        mark_wrong_since(problems_so_far, name_ + "." + std::string{entry.key});
      } else {
        report_unknown(entry, "a listener", keys_of_section(listener_settings(), ""),
                       problems_);
        mark_wrong_since(problems_so_far, name_);
      }
    }
  }

 private:
  void read_known(const map_entry& entry, const listener_setting& known) {
    note("." + std::string{entry.key}, entry.line);
    if (entry.value.is_map() && is_section(entry.key)) {
      read_section(entry, known);
    } else if (entry.value.is_list() && entry.key == "upstream") {
      read_upstreams(entry, to_, problems_);
    } else {
      read_setting(entry, known, to_, problems_);
    }
  }

  void mark_wrong_since(std::size_t problems_before, std::string name) {
    if (problems_.size() != problems_before) from_.mark_wrong(std::move(name));
  }

  void note(const std::string& part, std::size_t line) {
    from_.note(name_ + part, problems_.file() + ":" + std::to_string(line));
  }

  static bool is_section(std::string_view key) {
    return !key.empty() && !keys_of_section(listener_settings(), key).empty();
  }

  // A map, even an empty one, means that the section is on.
  void read_section(const map_entry& section, const listener_setting& its_switch) {
    static_cast<void>(its_switch.set(to_, "on"));
    for (const map_entry& entry : entries_of(section.value, section.key, problems_)) {
      if (const auto* known = find_listener_setting(section.key, entry.key)) {
        note("." + name_of(section.key, entry.key), entry.value.line());
        read_setting(entry, *known, to_, problems_);
      } else {
        report_unknown(entry, section.key, keys_of_section(listener_settings(), section.key),
                       problems_);
      }
    }
  }

  listener_options& to_;
  std::string name_;
  origins& from_;
  problem_log& problems_;
};

void read_listeners(const map_entry& entry, options& to, origins& from, problem_log& problems) {
  for (const text_tree::node& one : members_of(entry.value, "listeners", problems)) {
    const std::size_t number = to.listeners.size();
    if (number == max_listeners) {
      problems.add(one.line(), "more than " + std::to_string(max_listeners) + " listeners");
      break;
    }
    listener_options& made = to.listeners.emplace_back();
    listener_reader{made, name_of_listener(number), from, problems}.read(one);
  }
}

std::vector<std::string_view> keys_of_file() {
  std::vector<std::string_view> keys = {"listeners", "rules"};
  for (const setting& one : settings()) {
    const std::string_view section = one.section.substr(0, one.section.find('.'));
    const std::string_view key = section.empty() ? one.key : section;
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  }
  return keys;
}

/// Reads a section, which may have nested sections. `name`: its full name, such as "admin" or
/// "admin.tls".
void read_section(const map_entry& section, const std::string& name, options& to, origins& from,
                  problem_log& problems) {
  for (const map_entry& entry : entries_of(section.value, section.key, problems)) {
    const std::size_t problems_before = problems.size();
    const std::string inner = name_of(name, entry.key);
    from.note(inner, problems.file() + ":" + std::to_string(entry.value.line()));
    if (const setting* known = find_setting(name, entry.key)) {
      read_setting(entry, *known, to, problems);
      if (problems.size() != problems_before) from.mark_wrong(inner);
    } else if (!keys_of_section(settings(), inner).empty()) {
      read_section(entry, inner, to, from, problems);
    } else {
      report_unknown(entry, section.key, keys_of_section(settings(), name), problems);
      from.mark_wrong(name);
    }
  }
}

void read_tree(const text_tree::node& root, options& to, origins& from, problem_log& problems) {
  const auto entries = entries_of(root, "the configuration", problems);
  if (reject_foreign(entries, "a configuration", keys_of_file(), problems)) return;
  for (const map_entry& entry : entries) {
    if (entry.key == "listeners") {
      read_listeners(entry, to, from, problems);
    } else if (entry.key == "rules") {
      to.rules = read_rules(entry.value, problems);
    } else if (const setting* known = find_setting("", entry.key)) {
      read_setting(entry, *known, to, problems);
    } else if (!entry.key.empty() && !keys_of_section(settings(), entry.key).empty()) {
      read_section(entry, std::string{entry.key}, to, from, problems);
    } else {
      report_unknown(entry, "the configuration", keys_of_file(), problems);
    }
  }
}

}  // namespace

void read_options_file(const std::string& file, options& to, origins& from,
                       problem_log& problems) {
  problems.note_file(file);
  const auto content = read_file(file, max_config_bytes);
  if (!content) return problems.add_at(file, content.error().what);
  const auto parsed = parse_yaml(*content);
  if (!parsed) return problems.add(parsed.error());
  if (!parsed->is_empty()) read_tree(parsed->root(), to, from, problems);
}

}  // namespace scattergate::config
