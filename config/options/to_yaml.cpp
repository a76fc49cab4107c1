#include "config/options/load.hpp"
#include "config/options/rule_match.hpp"
#include "config/options/settings.hpp"
#include "config/text/scalars.hpp"
#include "config/text/yaml_text.hpp"
#include "text/time_text.hpp"

namespace scattergate::config {
namespace {

// A text for YAML: unquoted if nothing in it is special, otherwise quoted.
std::string plain_or_quoted(const std::string& text) {
  const bool is_plain =
      text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789MKGB/._") == text.npos;
  return is_plain && !text.empty() && text != "null" ? text : quoted_yaml(text);
}

template <typename Value>
std::vector<std::string> texts_of(const std::vector<Value>& values) {
  std::vector<std::string> texts;
  for (const Value& one : values) texts.push_back(to_string(one));
  return texts;
}

// The values set in a listener's section, one per line.
std::string entries_in(std::string_view section, const listener_options& from) {
  std::string lines;
  for (const listener_setting& one : listener_settings()) {
    const std::string value = one.section == section ? one.show(from) : std::string{};
    if (value.empty()) continue;
    lines += "\n      " + std::string{one.key} + ": " + plain_or_quoted(value);
  }
  return lines;
}

void append_listeners(const options& from, std::string& to) {
  to += "listeners:\n";
  for (const listener_options& listener : from.listeners) {
    std::string_view indent = "  - ";
    for (const listener_setting& one : listener_settings()) {
      if (!one.section.empty()) continue;
      const std::string entries = entries_in(one.key, listener);
      const std::string value = one.key == "upstream"
                                    ? yaml_list_of(texts_of(listener.upstream))
                                    : plain_or_quoted(one.show(listener));
      to += std::string{indent} + std::string{one.key} + ":";
      to += (entries.empty() ? " " + value : entries) + "\n";
      indent = "    ";
    }
  }
}

void add_throttle(const throttle_limits& limits, std::string& to) {
  to += "    throttle: {";
  if (limits.rate != 0) {
    to += "rate: " + show_rate(limits) + ", burst: " + std::to_string(limits.burst) + ", ";
  }
  if (limits.concurrency != 0) {
    to += "concurrency: " + std::to_string(limits.concurrency) + ", ";
  }
  to += "queue: " + std::to_string(limits.queue) + ", wait: " + show_duration(limits.wait) +
        "}\n";
}

void add_rules(const options& from, std::string& to) {
  if (from.rules.empty()) return;
  to += "rules:\n";
  for (const rule& one : from.rules) {
    to += "  - name: " + quoted_yaml(one.name) + "\n";
    to += "    match: " + show_match(one.match) + "\n";
    to += "    action: " + std::string{label(one.action)} + "\n";
    if (!one.why.empty()) to += "    why: " + quoted_yaml(one.why) + "\n";
    if (!one.by.empty()) to += "    by: " + quoted_yaml(one.by) + "\n";
    if (one.until) to += "    until: " + text::show_day(*one.until) + "\n";
    if (one.action == rule_action::throttle) add_throttle(one.throttle, to);
    if (one.dry_run) to += "    dry_run: true\n";
  }
}

}  // namespace

std::string to_yaml(const options& options) {
  std::string text;
  append_listeners(options, text);
  add_rules(options, text);
  std::string_view section;
  for (const setting& one : settings()) {
    const std::size_t dot = one.section.find('.');
    const std::string indent(one.section.empty() ? 0 : dot == one.section.npos ? 2 : 4, ' ');
    if (one.section != section && !one.section.empty()) {
      text += dot == one.section.npos ? std::string{one.section}
                                      : "  " + std::string{one.section.substr(dot + 1)};
      text += ":\n";
    }
    section = one.section;
    text += indent;
    text += std::string{one.key} + ": " + plain_or_quoted(one.show(options)) + "\n";
  }
  return text;
}

}  // namespace scattergate::config
