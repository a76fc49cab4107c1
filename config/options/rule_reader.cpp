#include "config/options/rule_reader.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_set>

#include "config/text/map_entries.hpp"
#include "config/text/scalars.hpp"

namespace scattergate::config {
namespace {

constexpr std::size_t max_rules = 1'000;     // each command is compared with every one of them
constexpr std::size_t max_text_bytes = 256;  // of a glob or name; a comment is cut there too

struct match_reader {
  std::string_view key;
  std::string (*set)(rule_match& to, std::string_view text);  // what was wanted, where bad
};

std::string set_namespace(rule_match& to, std::string_view text) {
  if (text.find_first_of(".*?") == text.npos) {
    return "database.collection is wanted, in which * stands for any run of characters";
  }
  to.name_space = text;
  return {};
}

std::string set_command(rule_match& to, std::string_view text) {
  const routing::command_kind kind = routing::kind_of(text);
  if (kind == routing::command_kind::other) return "no command that is known by this name";
  to.command = kind;
  return {};
}

std::string set_routing(rule_match& to, std::string_view text) {
  for (std::size_t i = 0; i < routing::routing_class_count; ++i) {
    const auto routing = static_cast<routing::routing_class>(i);
    if (label(routing) != text) continue;
    to.routing = routing;
    return {};
  }
  return "unsharded, single_shard, multi_shard, scatter_gather, not_routed or unknown is "
         "wanted";
}

std::string set_shape(rule_match& to, std::string_view text) {
  to.shape = parse_hash(text);
  return to.shape ? "" : "a shape hash is wanted: 16 hexadecimal digits";
}

constexpr std::array<match_reader, 7> match_readers = {{
    {"namespace", set_namespace},
    {"command", set_command},
    {"routing", set_routing},
    {"shape", set_shape},
    {"app", [](rule_match& to, std::string_view text) { return to.app = text, std::string{}; }},
    {"user",
     [](rule_match& to, std::string_view text) { return to.user = text, std::string{}; }},
    {"comment",
     [](rule_match& to, std::string_view text) { return to.comment = text, std::string{}; }},
}};

constexpr std::array<std::string_view, 5> keys_of_rule = {"name", "match", "action", "why",
                                                          "by"};

constexpr std::array<std::string_view, 8> keys_of_match = {
    "namespace", "command", "routing", "missing", "shape", "app", "user", "comment"};

void read_missing(const map_entry& entry, rule_match& to, problem_log& problems) {
  for (const text_tree::node& field : members_of(entry.value, "missing", problems)) {
    if (!field.is_scalar() || field.text().empty()) {
      problems.add(field.line(), "missing: the name of a shard key field is wanted");
    } else {
      to.missing.emplace_back(field.text());
    }
  }
  if (entry.value.is_null() || (entry.value.is_list() && entry.value.child_count() == 0)) {
    problems.add(entry.line, "missing names no field; leave it out to match any");
  }
}

void read_match_text(const map_entry& entry, const match_reader& reader, rule_match& to,
                     problem_log& problems) {
  std::string text;
  if (!read_text(entry, text, problems)) return;
  std::string wrong;
  if (text.empty()) {
    wrong = "is empty; leave it out to match any";
  } else if (text.size() > max_text_bytes) {
    wrong = "is longer than " + std::to_string(max_text_bytes) + " bytes";
  } else {
    wrong = reader.set(to, text);
    if (!wrong.empty()) wrong += ", not " + in_quotes(text);
  }
  if (!wrong.empty()) problems.add(entry.line, std::string{entry.key} + ": " + wrong);
}

rule_match read_match(const text_tree::node& value, problem_log& problems) {
  rule_match match;
  for (const map_entry& entry : entries_of(value, "match", problems)) {
    const auto reader =
        std::find_if(match_readers.begin(), match_readers.end(),
                     [&](const match_reader& one) { return one.key == entry.key; });
    if (entry.key == "missing") {
      read_missing(entry, match, problems);
    } else if (reader != match_readers.end()) {
      read_match_text(entry, *reader, match, problems);
    } else {
      report_unknown(entry, "match", {keys_of_match.begin(), keys_of_match.end()}, problems);
    }
  }
  return match;
}

void read_action(const map_entry& entry, rule& to, problem_log& problems) {
  std::string text;
  if (!read_text(entry, text, problems)) return;
  if (const auto action = action_labelled(text)) {
    to.action = *action;
  } else {
    problems.add(entry.line,
                 "action: observe, accept or reject is wanted, not " + in_quotes(text));
  }
}

rule read_rule(const text_tree::node& value, problem_log& problems) {
  rule made;
  for (const map_entry& entry : entries_of(value, "a rule", problems)) {
    if (entry.key == "match") {
      made.match = read_match(entry.value, problems);
    } else if (entry.key == "action") {
      read_action(entry, made, problems);
    } else if (entry.key == "name" || entry.key == "why" || entry.key == "by") {
      std::string& to = entry.key == "name"  ? made.name
                        : entry.key == "why" ? made.why
                                             : made.by;
      static_cast<void>(read_text(entry, to, problems));
    } else {
      report_unknown(entry, "a rule", {keys_of_rule.begin(), keys_of_rule.end()}, problems);
    }
  }
  if (made.name.empty()) problems.add(value.line(), "a rule needs a name");
  // It would refuse every driver's handshake.
  if (made.action == rule_action::reject && made.match == rule_match{}) {
    problems.add(value.line(), "a rule that rejects must match something");
  }
  return made;
}

}  // namespace

std::vector<rule> read_rules(const text_tree::node& value, problem_log& problems) {
  std::vector<rule> rules;
  std::unordered_set<std::string> names;
  for (const text_tree::node& one : members_of(value, "rules", problems)) {
    if (rules.size() == max_rules) {
      problems.add(one.line(), "more than " + std::to_string(max_rules) + " rules");
      break;
    }
    rules.push_back(read_rule(one, problems));
    const std::string& name = rules.back().name;
    if (!name.empty() && !names.insert(name).second) {
      problems.add(one.line(), "a second rule is called " + in_quotes(name));
    }
  }
  return rules;
}

std::span<const std::string_view> rule_keys() noexcept {
  return keys_of_rule;
}
std::span<const std::string_view> match_keys() noexcept {
  return keys_of_match;
}

}  // namespace scattergate::config
