#include "proxy/policy.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "routing/catalog/catalog.hpp"

namespace scattergate::proxy {
namespace {

/// Whether the rule has this action, hasn't expired, and is a dry run or not as given.
bool does(config::rule_action action, const config::rule& rule, const sender& from,
          bool is_dry_run) {
  return rule.action == action && rule.dry_run == is_dry_run &&
         !text::has_passed(rule.until, from.today);
}

/// Selects among the rules that could match a message. `message`: its known parts.
/// `could_match`: a further condition on the rule's match.
template <typename CouldMatch>
strict_rules strict_among(const std::vector<config::rule>& rules,
                          const config::known_parts& message, CouldMatch could_match) {
  using enum config::rule_action;
  const auto first = [&](bool is_dry_run) -> const config::rule* {
    for (const auto action : {reject, throttle}) {
      for (const config::rule& rule : rules) {
        if (does(action, rule, *message.from, is_dry_run) &&
            config::could_match(rule.match, message) && could_match(rule.match)) {
          return &rule;
        }
      }
    }
    return nullptr;
  };
  if (const config::rule* decides = first(false)) return {decides, nullptr};
  return {nullptr, first(true)};
}

/// Whether the verdict's namespace matches the rule's namespace, or is unknown.
bool may_be_on(const config::rule_match& match, const routing::verdict& verdict) {
  const wire::namespace_view on = verdict.ns();
  const bool is_named = !on.collection.empty() && on.is_possible();
  const config::namespace_text full{on};
  return config::could_match(match, {.name_space = is_named ? &full : nullptr});
}

bool is_unjudged(const routing::verdict& verdict) noexcept {
  return verdict.why == routing::reason::too_deep ||
         verdict.why == routing::reason::work_budget ||
         verdict.why == routing::reason::unreadable;
}

/// Whether a part of the command wasn't judged, and may be in a namespace to which the rule
/// applies.
bool has_unjudged(const judged_command& command, const config::rule_match& match) {
  const routing::verdict& whole = command.verdict;
  // If judging was abandoned, the command may have further namespaces.
  const bool is_partial = whole.abandoned && routing::facts_of(whole.command).joins;
  if (whole.may_touch_more || is_partial) return true;
  if (is_unjudged(whole) && may_be_on(match, whole)) return true;
  return std::ranges::any_of(whole.touches, [&](const routing::touch& touched) {
    const routing::verdict seen = whole.verdict_in(touched);
    return is_unjudged(seen) && may_be_on(match, seen);
  });
}

std::vector<std::string> exact_names(const std::vector<config::rule>& rules) {
  std::vector<std::string> names;
  for (const config::rule& rule : rules) {
    const std::string& name = rule.match.name_space.value;
    if (!name.empty() && name.find_first_of("*?") == name.npos) names.push_back(name);
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace

std::string_view reason_to_accept(std::string_view comment) noexcept {
  constexpr std::string_view directive = "scattergate:accept";
  constexpr std::string_view blank = " \t";
  // If one of these characters precedes the keyword, it is part of a longer word.
  const auto is_word = [](char c) {
    return c == '_' || c == '-' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
           (c >= 'a' && c <= 'z') || static_cast<unsigned char>(c) >= 0x80;
  };
  const std::size_t at = comment.find(directive);
  if (at == comment.npos || (at != 0 && is_word(comment[at - 1]))) return {};
  std::string_view why = comment.substr(at + directive.size());
  if (why.empty() || blank.find(why.front()) == blank.npos) return {};
  why.remove_prefix(std::min(why.find_first_not_of(blank), why.size()));
  return why.substr(0, why.find_last_not_of(blank) + 1);
}

std::string why_of(const config::rule& rule) {
  if (rule.by.empty()) return rule.why;
  return rule.why.empty() ? "by " + rule.by : rule.why + " (" + rule.by + ")";
}

policy::policy(std::vector<config::rule> rules, std::vector<std::string> accepting)
    : rules_(std::move(rules)), accepting_(std::move(accepting)), named_(exact_names(rules_)) {
  for (unsigned what = 0; what != config::condition_input_count; ++what) {
    const bool is_asked = std::ranges::any_of(rules_, [&](const config::rule& rule) {
      return config::depends_on(rule.match, static_cast<config::condition_input>(what));
    });
    needed_inputs_ |= static_cast<std::uint32_t>(is_asked) << what;
  }
}

void policy::accept_by_comment(const judged_command& command, decision& made) const {
  const bool is_observed =
      made.is_finding && !made.has_expired && made.action == config::rule_action::observe;
  if (!is_observed) return;
  const std::string_view why = reason_to_accept(command.comment);
  const bool is_allowed =
      !why.empty() && std::ranges::any_of(accepting_, [&](const std::string& glob) {
        return config::namespace_text{command.verdict.ns()}.matches(glob);
      });
  if (!is_allowed) return;
  made.action = config::rule_action::accept;
  made.accepted_because = why;
}

bool policy::names(wire::namespace_view name_space) const noexcept {
  return std::ranges::binary_search(named_, config::namespace_text{name_space}.view(),
                                    std::less<>{});
}

bool policy::has_blocking_rules() const noexcept {
  return std::any_of(rules_.begin(), rules_.end(), [](const config::rule& rule) {
    return is_strict(rule.action) && !rule.dry_run;
  });
}

bool policy::differs_between(text::day one, text::day other) const noexcept {
  return std::any_of(rules_.begin(), rules_.end(), [&](const config::rule& rule) {
    return text::has_passed(rule.until, one) != text::has_passed(rule.until, other);
  });
}

strict_rules policy::for_unjudged(const judged_command& command) const {
  return strict_among(
      rules_, {.from = &command.from, .command = &command.verdict.command},
      [&](const config::rule_match& match) { return has_unjudged(command, match); });
}

strict_rules policy::for_unread(const sender& from, const std::string_view* name_space) const {
  const std::string_view full = name_space != nullptr ? *name_space : std::string_view{};
  const config::namespace_text on{
      wire::namespace_view::of(full).value_or(wire::namespace_view{full, {}})};
  return strict_among(rules_,
                      {.from = &from, .name_space = name_space != nullptr ? &on : nullptr},
                      [](const config::rule_match&) { return true; });
}

int policy::strictness(const decision& made) noexcept {
  if (!made.is_finding) return 0;
  switch (made.action) {
    case config::rule_action::accept:
      return 1;
    case config::rule_action::observe:
      return 2;
    case config::rule_action::throttle:
      return 3;
    case config::rule_action::reject:
      break;
  }
  return 4;
}

bool policy::may_be_finding(const routing::verdict& verdict) noexcept {
  if (verdict.lint != routing::lint_kind::none) return true;
  if (verdict.why == routing::reason::by_nature) return false;
  const auto family = routing::family_of(verdict.command);
  return family == routing::command_family::routed || family == routing::command_family::wraps;
}

bool policy::is_finding_by_default(const routing::verdict& verdict) noexcept {
  // If there are touches, they say which parts of the command mongos rejects.
  const bool is_refused =
      verdict.is_certainly_refused() && (verdict.touches.empty() || verdict.may_touch_more);
  return verdict.is_scatter_on_sharded() || verdict.lint != routing::lint_kind::none ||
         is_refused || verdict.why == routing::reason::unreadable ||
         verdict.why == routing::reason::too_deep;
}

}  // namespace scattergate::proxy
