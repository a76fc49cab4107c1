#include "config/options/rule_reader.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_set>

#include "config/options/accepted_rules.hpp"
#include "config/options/throttle_reader.hpp"
#include "config/text/map_entries.hpp"
#include "config/text/scalars.hpp"
#include "text/days.hpp"
#include "text/printable.hpp"

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

std::string set_fanout(rule_match& to, std::string_view text) {
  to.fanout = parse_fanout(text);
  return to.fanout ? "" : "a comparison with a number of shards is wanted, such as \">=4\"";
}

constexpr std::array<match_reader, 8> match_readers = {{
    {"namespace", set_namespace},
    {"command", set_command},
    {"routing", set_routing},
    {"shape", set_shape},
    {"fanout", set_fanout},
    {"app", [](rule_match& to, std::string_view text) { return to.app = text, std::string{}; }},
    {"user",
     [](rule_match& to, std::string_view text) { return to.user = text, std::string{}; }},
    {"comment",
     [](rule_match& to, std::string_view text) { return to.comment = text, std::string{}; }},
}};

constexpr std::array<std::string_view, 8> keys_of_rule = {
    "throttle", "name", "match", "action", "why", "by", "until", "dry_run"};

constexpr std::array<std::string_view, 11> keys_of_match = {
    "namespace", "command", "routing", "missing", "shape",         "app",
    "user",      "comment", "remote",  "fanout",  "queryShapeHash"};

constexpr std::size_t max_listed = 100;  // commands are compared with every one

void read_network(const text_tree::node& value, rule_match& to, problem_log& problems) {
  const auto made = value.is_scalar() ? net::network::parse(value.text()) : std::nullopt;
  if (made) return to.remote.push_back(*made);
  const std::string given =
      value.is_scalar() ? ", not " + text::in_quotes(value.text()) : std::string{};
  problems.add(value.line(),
               "remote: an address or a network is wanted, such as 10.0.0.0/8, without bits "
               "beyond its prefix" +
                   given);
}

void read_query_shape(const text_tree::node& value, rule_match& to, problem_log& problems) {
  const auto made = value.is_scalar() ? parse_query_shape(value.text()) : std::nullopt;
  if (made) return to.query_shapes.push_back(*made);
  const std::string given =
      value.is_scalar() ? ", not " + text::in_quotes(value.text()) : std::string{};
  problems.add(
      value.line(),
      "queryShapeHash: the 64 hexadecimal digits that MongoDB prints are wanted" + given);
}

/// One, or a list of some: `what` in words.
void read_some(const map_entry& entry, std::string_view what,
               void (*read)(const text_tree::node&, rule_match&, problem_log&), rule_match& to,
               problem_log& problems) {
  if (!entry.value.is_list()) return read(entry.value, to, problems);
  const std::string key{entry.key};
  const auto given = members_of(entry.value, key, problems);
  if (given.empty()) {
    problems.add(entry.line,
                 key + " names no " + std::string{what} + "; leave it out to match any");
  } else if (given.size() > max_listed) {
    problems.add(entry.line, key + ": more than " + std::to_string(max_listed));
  } else {
    for (const text_tree::node& one : given) read(one, to, problems);
  }
}

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
    if (!wrong.empty()) wrong += ", not " + text::in_quotes(text);
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
    } else if (entry.key == "remote") {
      read_some(entry, "network", read_network, match, problems);
    } else if (entry.key == "queryShapeHash") {
      read_some(entry, "hash", read_query_shape, match, problems);
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
    problems.add(entry.line, "action: observe, accept, throttle or reject is wanted, not " +
                                 text::in_quotes(text));
  }
}

void read_until(const map_entry& entry, rule& to, problem_log& problems) {
  std::string text;
  if (!read_text(entry, text, problems)) return;
  to.until = text::parse_day(text);
  if (!to.until) {
    problems.add(entry.line,
                 "until: a day is wanted, such as 2027-01-31, not " + text::in_quotes(text));
  }
}

rule read_rule(const text_tree::node& value, problem_log& problems) {
  rule made;
  bool is_limited = false;
  const std::size_t before = problems.size();
  made.written.where = problems.file() + ":" + std::to_string(value.line());
  for (const map_entry& entry : entries_of(value, "a rule", problems)) {
    if (entry.key == "match") {
      made.match = read_match(entry.value, problems);
    } else if (entry.key == "action") {
      read_action(entry, made, problems);
    } else if (entry.key == "throttle") {
      is_limited = true;
      read_throttle(entry, made.throttle, problems);
    } else if (entry.key == "until") {
      read_until(entry, made, problems);
    } else if (entry.key == "dry_run") {
      static_cast<void>(read_flag(entry, made.dry_run, problems));
    } else if (entry.key == "name" || entry.key == "why" || entry.key == "by") {
      std::string& to = entry.key == "name"  ? made.name
                        : entry.key == "why" ? made.why
                                             : made.by;
      static_cast<void>(read_text(entry, to, problems));
    } else {
      report_unknown(entry, "a rule", {keys_of_rule.begin(), keys_of_rule.end()}, problems);
    }
  }
  if (problems.size() != before) return made;  // what follows might only follow from that
  if (made.name.empty()) problems.add(value.line(), "a rule needs a name");
  // It would refuse every driver's handshake.
  const bool holds_up =
      made.action == rule_action::reject || made.action == rule_action::throttle;
  if (holds_up && made.match == rule_match{}) {
    problems.add(value.line(), "a rule that rejects or throttles must match something");
  }
  if (is_limited != (made.action == rule_action::throttle)) {
    problems.add(value.line(), is_limited ? "throttle: is for a rule with action: throttle"
                                          : "a rule that throttles needs throttle: limits");
  }
  return made;
}

}  // namespace

std::vector<rule> read_rules(const text_tree::node& value, problem_log& problems) {
  std::vector<rule> rules;
  std::unordered_set<std::string> names;
  for (const text_tree::node& one : members_of(value, "rules", problems)) {
    const auto read = names_baseline(one) ? read_accepted(one, problems)
                                          : std::vector<rule>{read_rule(one, problems)};
    if (rules.size() + read.size() > max_rules) {
      problems.add(one.line(), "more than " + std::to_string(max_rules) + " rules");
      break;
    }
    for (const rule& each : read) {
      rules.push_back(each);
      if (!each.name.empty() && !names.insert(each.name).second) {
        problems.add(one.line(), "a second rule is called " + text::in_quotes(each.name));
      }
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
