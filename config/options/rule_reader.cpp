#include "config/options/rule_reader.hpp"

#include <array>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "config/baseline/baseline.hpp"
#include "config/options/rule.hpp"
#include "config/options/rule_match.hpp"
#include "config/text/map_entries.hpp"
#include "config/text/problem_log.hpp"
#include "config/text/scalars.hpp"
#include "routing/shape/shape.hpp"
#include "text/printable.hpp"
#include "text/problem.hpp"
#include "text/time_text.hpp"

namespace scattergate::config {
namespace {

constexpr std::array<std::string_view, 5> throttle_key_names = {"rate", "burst", "concurrency",
                                                                "queue", "wait"};

void read_number(const map_entry& entry, std::string_view text, std::uint32_t least,
                 std::uint32_t most, std::uint32_t& to, problem_log& problems) {
  const auto number = parse_count(text);
  if (number && *number >= least && *number <= most) {
    to = static_cast<std::uint32_t>(*number);
    return;
  }
  problems.add(entry.line, std::string{entry.key} + ": expected a number from " +
                               std::to_string(least) + " to " + std::to_string(most) +
                               ", not " + text::in_quotes(text));
}

void read_wait(const map_entry& entry, std::string_view text, throttle_limits& to,
               problem_log& problems) {
  const auto duration = parse_duration(text);
  if (duration && *duration <= throttle_limits::longest_wait) {
    to.wait = *duration;
  } else {
    problems.add(entry.line,
                 "wait: expected a duration of at most 1m, not " + text::in_quotes(text));
  }
}

void read_entry(const map_entry& entry, throttle_limits& to,
                std::optional<std::uint32_t>& burst, problem_log& problems) {
  std::string text;
  if (!read_text(entry, text, problems)) return;
  if (entry.key == "rate") {
    if (!parse_rate(text, to)) {
      problems.add(entry.line,
                   "rate: expected a number a second, minute or hour, such as "
                   "50/s, not " +
                       text::in_quotes(text));
    }
  } else if (entry.key == "burst") {
    read_number(entry, text, 1, throttle_limits::most, burst.emplace(1), problems);
  } else if (entry.key == "concurrency") {
    read_number(entry, text, 1, throttle_limits::most, to.concurrency, problems);
  } else if (entry.key == "queue") {
    read_number(entry, text, 0, throttle_limits::longest_queue, to.queue, problems);
  } else if (entry.key == "wait") {
    read_wait(entry, text, to, problems);
  } else {
    report_unknown(entry, "throttle", {throttle_keys().begin(), throttle_keys().end()},
                   problems);
  }
}

/// The default burst: the commands of one second, at least one.
std::uint32_t usual_burst(const throttle_limits& limits) noexcept {
  const auto per = static_cast<std::uint32_t>(limits.per.count());
  return limits.rate == 0 ? 0 : (limits.rate + per - 1) / per;
}

/// Reads `throttle`, the limits of a rule that throttles, into `to`. Adds problems for invalid
/// values.
void read_throttle(const map_entry& entry, throttle_limits& to, problem_log& problems) {
  std::optional<std::uint32_t> burst;
  bool is_good = true;
  for (const map_entry& one : entries_of(entry.value, "throttle", problems)) {
    read_entry(one, to, burst, problems);
    is_good &= one.key != "rate" || to.rate != 0;
  }
  to.burst = to.rate == 0 ? 0 : burst.value_or(usual_burst(to));
  if (is_good && to.rate == 0 && to.concurrency == 0) {
    problems.add(entry.line, "throttle needs a rate or a concurrency");
  }
  if (is_good && to.rate == 0 && burst) {
    problems.add(entry.line, "throttle: burst needs a rate");
  }
}

/// The rule that accepts a shape. The hash covers the namespace, too, but matching the
/// namespace first avoids hashing commands on other collections.
rule rule_of(const accepted_shape& from, const std::string& file) {
  rule made;
  made.written.place = file;
  made.name = "accepted-" + routing::shape_hash_text(from.shape_hash);
  made.match.name_space = from.name_space;
  made.match.shape = from.shape_hash;
  made.action = rule_action::accept;
  made.why = from.why;
  made.by = from.by;
  made.until = from.until;
  return made;
}

/// Whether an entry of a `rules` list is `{accepted: FILE}`. Such an entry isn't a rule: it
/// names a baseline, a file of accepted query shapes.
bool names_baseline(const text_tree::node& member) {
  return member.is_map() && member.child_count() == 2 && (*member.begin()).text() == "accepted";
}

/// Reads the baseline file that an entry `{accepted: FILE}` names. Returns a rule with the
/// action accept for each shape in it. FILE is relative to the configuration file. Adds the
/// file's problems to `problems`, with the baseline's lines.
std::vector<rule> read_accepted(const text_tree::node& member, problem_log& problems) {
  std::vector<rule> rules;
  for (const map_entry& entry : entries_of(member, "a rule", problems)) {
    std::string file;
    if (!read_text(entry, file, problems)) return rules;
    const auto path = std::filesystem::path{problems.file()}.parent_path() / file;
    problems.note_file(path.string());
    const loaded_baseline loaded = load_baseline(path.string());
    for (const text::problem& one : loaded.problems) problems.add_at(one.where, one.what);
    for (const accepted_shape& one : loaded.value.accepted) {
      rules.push_back(rule_of(one, path.string()));
    }
  }
  return rules;
}

constexpr std::size_t max_rules = 1'000;  // each command is compared with every one of them

constexpr std::array<std::string_view, 8> keys_of_rule = {
    "throttle", "name", "match", "action", "why", "by", "until", "dry_run"};

void read_action(const map_entry& entry, rule& to, problem_log& problems) {
  std::string text;
  if (!read_text(entry, text, problems)) return;
  if (const auto action = action_labelled(text)) {
    to.action = *action;
  } else {
    problems.add(entry.line, "action: expected observe, accept, throttle or reject, not " +
                                 text::in_quotes(text));
  }
}

void read_until(const map_entry& entry, rule& to, problem_log& problems) {
  std::string text;
  if (!read_text(entry, text, problems)) return;
  to.until = text::parse_day(text);
  if (!to.until) {
    problems.add(entry.line,
                 "until: expected a day, such as 2027-01-31, not " + text::in_quotes(text));
  }
}

rule read_rule(const text_tree::node& value, problem_log& problems) {
  rule made;
  bool is_limited = false;
  const std::size_t before = problems.size();
  made.written.place = problems.file() + ":" + std::to_string(value.line());
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
      report_unknown(entry, "a rule", {rule_keys().begin(), rule_keys().end()}, problems);
    }
  }
  if (problems.size() != before) return made;  // further problems might only be consequences
  if (made.name.empty()) problems.add(value.line(), "a rule needs a name");
  // A rule that rejects or throttles without conditions would refuse every driver's handshake.
  const bool holds_up =
      made.action == rule_action::reject || made.action == rule_action::throttle;
  if (holds_up && made.match == rule_match{}) {
    problems.add(value.line(), "a rule that rejects or throttles must match something");
  }
  if (is_limited != (made.action == rule_action::throttle)) {
    problems.add(value.line(), is_limited ? "throttle: needs action: throttle"
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
        problems.add(one.line(), "another rule is named " + text::in_quotes(each.name));
      }
    }
  }
  return rules;
}

std::span<const std::string_view> rule_keys() noexcept {
  return keys_of_rule;
}

std::span<const std::string_view> throttle_keys() noexcept {
  return throttle_key_names;
}

}  // namespace scattergate::config
