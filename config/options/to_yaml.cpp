#include <array>
#include <cstdio>

#include "config/options/load.hpp"
#include "config/options/settings.hpp"
#include "routing/command_kind.hpp"
#include "routing/shape/shape.hpp"

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

std::string list_of(const std::vector<net::endpoint>& addresses) {
  std::string text;
  for (const net::endpoint& one : addresses)
    text += (text.empty() ? "" : ", ") + quote(to_string(one));
  return "[" + text + "]";
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
      const std::string value = one.key == "upstream" ? list_of(listener.upstream)
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
  if (!match.name_space.empty()) add("namespace", quote(match.name_space));
  if (match.command) add("command", quote(routing::name_of(*match.command)));
  if (match.routing) add("routing", quote(label(*match.routing)));
  if (!match.missing.empty()) {
    std::string fields;
    for (const std::string& field : match.missing) {
      fields += (fields.empty() ? "" : ", ") + quote(field);
    }
    add("missing", "[" + fields + "]");
  }
  if (match.shape) add("shape", quote(routing::shape_hash_text(*match.shape)));
  if (!match.app.empty()) add("app", quote(match.app));
  if (!match.user.empty()) add("user", quote(match.user));
  if (!match.comment.empty()) add("comment", quote(match.comment));
  to += "    match: {" + entries + "}\n";
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
  }
}

}  // namespace

std::string to_yaml(const options& options) {
  std::string text;
  add_listeners(options, text);
  add_rules(options, text);
  std::string_view section;
  for (const setting& one : settings()) {
    if (one.section != section && !one.section.empty()) {
      text += std::string{one.section} + ":\n";
    }
    section = one.section;
    if (!section.empty()) text += "  ";
    text += std::string{one.key} + ": " + plain_or_quoted(one.show(options)) + "\n";
  }
  return text;
}

}  // namespace scattergate::config
