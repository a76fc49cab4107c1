#include <array>
#include <cstdio>

#include "config/options/load.hpp"
#include "config/options/settings.hpp"
#include "config/text/scalars.hpp"
#include "routing/command_kind.hpp"
#include "routing/shape/shape.hpp"
#include "text/days.hpp"

namespace scattergate::config {
namespace {

// In double quotes, where every text can be written.
std::string quote(std::string_view text) {
  std::string quoted = "\"";
  for (const char byte : text) {
    const auto code = static_cast<unsigned char>(byte);
    if (byte == '"' || byte == '\\') {
      quoted += '\\';
      quoted += byte;
    } else if (code < 0x20 || code == 0x7f) {
      std::array<char, 5> escape{};
      std::snprintf(escape.data(), escape.size(), "\\x%02x", static_cast<unsigned>(code));
      quoted += escape.data();
    } else {
      quoted += byte;
    }
  }
  return quoted + '"';
}

// As it is, where nothing in it means anything to YAML.
std::string plain_or_quoted(const std::string& text) {
  const bool is_plain =
      text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789MKGB/._") == text.npos;
  return is_plain && !text.empty() && text != "null" ? text : quote(text);
}

std::string list_of(const std::vector<std::string>& texts) {
  std::string text;
  for (const std::string& one : texts) text += (text.empty() ? "" : ", ") + quote(one);
  return "[" + text + "]";
}

template <typename Value>
std::vector<std::string> texts_of(const std::vector<Value>& values) {
  std::vector<std::string> texts;
  for (const Value& one : values) texts.push_back(to_string(one));
  return texts;
}

// What is given in a section of a listener, each on a line.
std::string entries_in(std::string_view section, const listener_options& from) {
  std::string lines;
  for (const listener_setting& one : listener_settings()) {
    const std::string value = one.section == section ? one.show(from) : std::string{};
    if (value.empty()) continue;
    lines += "\n      " + std::string{one.key} + ": " + plain_or_quoted(value);
  }
  return lines;
}

void add_listeners(const options& from, std::string& to) {
  to += "listeners:\n";
  for (const listener_options& listener : from.listeners) {
    std::string_view indent = "  - ";
    for (const listener_setting& one : listener_settings()) {
      if (!one.section.empty()) continue;
      const std::string entries = entries_in(one.key, listener);
      const std::string value = one.key == "upstream" ? list_of(texts_of(listener.upstream))
                                                      : plain_or_quoted(one.show(listener));
      to += std::string{indent} + std::string{one.key} + ":";
      to += (entries.empty() ? " " + value : entries) + "\n";
      indent = "    ";
    }
  }
}

void add_match(const rule_match& match, std::string& to) {
  std::string entries;
  const auto add = [&](std::string_view key, const std::string& value) {
    entries += std::string{entries.empty() ? "" : ", "} + std::string{key} + ": " + value;
  };
  const auto add_list = [&](std::string_view key, const std::vector<std::string>& values) {
    if (!values.empty()) add(key, list_of(values));
  };
  if (!match.name_space.empty()) add("namespace", quote(match.name_space));
  if (match.command) add("command", quote(routing::name_of(*match.command)));
  if (match.routing) add("routing", quote(label(*match.routing)));
  add_list("missing", match.missing);
  if (match.shape) add("shape", quote(routing::shape_hash_text(*match.shape)));
  if (!match.app.empty()) add("app", quote(match.app));
  if (!match.user.empty()) add("user", quote(match.user));
  if (!match.comment.empty()) add("comment", quote(match.comment));
  add_list("remote", texts_of(match.remote));
  if (match.fanout) add("fanout", quote(show_fanout(*match.fanout)));
  add_list("queryShapeHash", match.query_shapes);
  to += "    match: {" + entries + "}\n";
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
    to += "  - name: " + quote(one.name) + "\n";
    add_match(one.match, to);
    to += "    action: " + std::string{label(one.action)} + "\n";
    if (!one.why.empty()) to += "    why: " + quote(one.why) + "\n";
    if (!one.by.empty()) to += "    by: " + quote(one.by) + "\n";
    if (one.until) to += "    until: " + text::show_day(*one.until) + "\n";
    if (one.action == rule_action::throttle) add_throttle(one.throttle, to);
    if (one.dry_run) to += "    dry_run: true\n";
  }
}

}  // namespace

std::string to_yaml(const options& options) {
  std::string text;
  add_listeners(options, text);
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
