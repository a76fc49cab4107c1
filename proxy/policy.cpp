#include "proxy/policy.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "routing/catalog/catalog.hpp"
#include "text/days.hpp"
#include "text/glob.hpp"
#include "wire/limits.hpp"

namespace scattergate::proxy {
namespace {

/// "db.collection" in a buffer of the caller's; cut where it is longer than any real one.
std::string_view full_name(wire::namespace_view name_space,
                           std::span<char, wire::limits::max_namespace_bytes + 1> buffer) {
  char* end = buffer.data();
  const auto put = [&](std::string_view text) {
    const auto room = static_cast<std::size_t>(buffer.data() + buffer.size() - end);
    end = std::copy_n(text.data(), std::min(room, text.size()), end);
  };
  put(name_space.database);
  put(".");
  put(name_space.collection);
  return {buffer.data(), end};
}

/// The prefix of the collection that holds a time series' documents: a rule for the series
/// matches this collection too.
constexpr std::string_view buckets = "system.buckets.";

bool name_space_matches(const std::string& glob, const routing::verdict& verdict) {
  std::array<char, wire::limits::max_namespace_bytes + 1> buffer;
  if (text::glob_matches(glob, full_name(verdict.ns(), buffer))) return true;
  if (!verdict.collection.starts_with(buckets)) return false;
  routing::verdict series = verdict;
  series.collection.remove_prefix(buckets.size());
  return text::glob_matches(glob, full_name(series.ns(), buffer));
}

/// `name_space`: "db.collection".
bool name_space_matches(const std::string& glob, std::string_view name_space) {
  if (glob.empty() || text::glob_matches(glob, name_space)) return true;
  const std::size_t dot = name_space.find('.');
  if (dot == name_space.npos || !name_space.substr(dot + 1).starts_with(buckets)) return false;
  std::string series{name_space.substr(0, dot + 1)};
  series.append(name_space.substr(dot + 1 + buckets.size()));
  return text::glob_matches(glob, series);
}

/// Whether the fields that the verdict misses are exactly `wanted`, in any order.
bool misses_exactly(const routing::verdict& verdict, const std::vector<std::string>& wanted) {
  if (verdict.judged == nullptr) return false;
  std::size_t missing = 0;
  for (std::size_t i = 0; i < verdict.judged->key.size(); ++i) {
    if (!verdict.misses(i)) continue;
    ++missing;
    if (std::find(wanted.begin(), wanted.end(), verdict.judged->key[i].path) == wanted.end()) {
      return false;
    }
  }
  return missing == wanted.size();
}

/// Whether the command may touch namespaces that nobody has come to yet when its judgement is
/// given up.
bool may_touch_others(routing::command_kind kind) noexcept {
  return kind == routing::command_kind::aggregate ||
         kind == routing::command_kind::bulk_write ||
         kind == routing::command_kind::map_reduce || kind == routing::command_kind::explain;
}

/// Whether it comes out of one of the networks; by a Unix socket it comes out of none.
bool is_out_of(const std::vector<net::network>& networks, const net::ip_address* remote) {
  return remote != nullptr &&
         std::ranges::any_of(networks, [&](const auto& one) { return one.holds(*remote); });
}

bool is_from_another(const config::rule_match& match, const sender& from) {
  return (!match.app.empty() && match.app != from.app) ||
         (!match.user.empty() && match.user != from.user) ||
         (!match.remote.empty() && !is_out_of(match.remote, from.remote));
}

/// Whether the rule does that today, or would if it were no dry run.
bool does(config::rule_action action, const config::rule& rule, const sender& from,
          bool is_dry_run) {
  return rule.action == action && rule.dry_run == is_dry_run &&
         !text::has_passed(rule.until, from.today);
}

/// Among the rules of which `could_match` holds.
template <typename CouldMatch>
strict_rules strict_among(const std::vector<config::rule>& rules, const sender& from,
                          CouldMatch could_match) {
  using enum config::rule_action;
  const auto first = [&](bool is_dry_run) -> const config::rule* {
    for (const auto action : {reject, throttle}) {
      for (const config::rule& rule : rules) {
        if (does(action, rule, from, is_dry_run) && !is_from_another(rule.match, from) &&
            could_match(rule.match)) {
          return &rule;
        }
      }
    }
    return nullptr;
  };
  if (const config::rule* decides = first(false)) return {decides, nullptr};
  return {nullptr, first(true)};
}

/// Whether a rule's namespace may be the verdict's, or which that is isn't told.
bool may_be_on(const config::rule_match& match, const routing::verdict& verdict) {
  const bool is_told = !verdict.collection.empty() && verdict.ns().is_possible();
  return match.name_space.empty() || !is_told || name_space_matches(match.name_space, verdict);
}

bool is_unjudged(const routing::verdict& verdict) noexcept {
  return verdict.why == routing::reason::too_deep ||
         verdict.why == routing::reason::work_budget ||
         verdict.why == routing::reason::unreadable;
}

/// Whether anything of the command is, in the namespaces that the rule is for.
bool has_unjudged(const judged_command& command, const config::rule_match& match) {
  const routing::verdict& whole = command.verdict;
  if (whole.may_touch_more || (whole.abandoned && may_touch_others(whole.command))) return true;
  if (is_unjudged(whole) && may_be_on(match, whole)) return true;
  return std::ranges::any_of(whole.touches, [&](const routing::touch& touched) {
    const routing::verdict seen = whole.seen_by(touched);
    return is_unjudged(seen) && may_be_on(match, seen);
  });
}

std::vector<std::string> exact_names(const std::vector<config::rule>& rules) {
  std::vector<std::string> names;
  for (const config::rule& rule : rules) {
    const std::string& name = rule.match.name_space;
    if (!name.empty() && name.find_first_of("*?") == name.npos) names.push_back(name);
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace

std::string_view reason_to_accept(std::string_view comment) noexcept {
  constexpr std::string_view directive = "scattergate:accept";
  constexpr std::string_view blank = " \t";
  // Nobody means a longer word by it.
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
    : rules_(std::move(rules)),
      accepting_(std::move(accepting)),
      named_(exact_names(rules_)),
      looks_at_comments_(
          std::any_of(rules_.begin(), rules_.end(),
                      [](const config::rule& rule) { return !rule.match.comment.empty(); })),
      asks_who_(std::any_of(rules_.begin(), rules_.end(),
                            [](const config::rule& rule) {
                              return !rule.match.app.empty() || !rule.match.user.empty();
                            })),
      depends_on_client_(
          asks_who_ || looks_at_comments_ ||
          std::any_of(rules_.begin(), rules_.end(),
                      [](const config::rule& rule) { return !rule.match.remote.empty(); })) {}

void policy::accept_by_comment(const judged_command& command, decision& made) const {
  const bool is_observed =
      made.is_finding && !made.has_expired && made.action == config::rule_action::observe;
  if (!is_observed) return;
  const std::string_view why = reason_to_accept(command.comment);
  const bool is_allowed =
      !why.empty() && std::ranges::any_of(accepting_, [&](const std::string& glob) {
        return name_space_matches(glob, command.verdict);
      });
  if (!is_allowed) return;
  made.action = config::rule_action::accept;
  made.accepted_because = why;
}

bool policy::names(wire::namespace_view name_space) const noexcept {
  std::array<char, wire::limits::max_namespace_bytes + 1> buffer;
  return std::ranges::binary_search(named_, full_name(name_space, buffer), std::less<>{});
}

bool policy::may_hold_up() const noexcept {
  return std::any_of(rules_.begin(), rules_.end(), [](const config::rule& rule) {
    using enum config::rule_action;
    return (rule.action == reject || rule.action == throttle) && !rule.dry_run;
  });
}

bool policy::differs_between(text::day one, text::day other) const noexcept {
  return std::any_of(rules_.begin(), rules_.end(), [&](const config::rule& rule) {
    return text::has_passed(rule.until, one) != text::has_passed(rule.until, other);
  });
}

strict_rules policy::for_unjudged(const judged_command& command) const {
  return strict_among(rules_, command.from, [&](const config::rule_match& match) {
    const bool is_hashed =
        match.query_shapes.empty() || command.verdict.command == routing::command_kind::find;
    return (!match.command || *match.command == command.verdict.command) && is_hashed &&
           has_unjudged(command, match);
  });
}

strict_rules policy::for_unread(const sender& from, const std::string_view* name_space) const {
  return strict_among(rules_, from, [&](const config::rule_match& match) {
    return name_space == nullptr || name_space_matches(match.name_space, *name_space);
  });
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
  return verdict.is_scatter_on_sharded() || verdict.lint != routing::lint_kind::none ||
         verdict.why == routing::reason::unreadable || verdict.why == routing::reason::too_deep;
}

bool policy::matches(const config::rule_match& match, const judged_command& command) {
  const routing::verdict& verdict = command.verdict;
  if (match.command && *match.command != verdict.command) return false;
  if (match.routing && *match.routing != verdict.routing) return false;
  if (is_from_another(match, command.from)) return false;
  if (match.fanout && !(verdict.fanout && match.fanout->holds(verdict.fanout->size()))) {
    return false;
  }
  if (!match.name_space.empty() && !name_space_matches(match.name_space, verdict)) return false;
  if (!match.missing.empty() && !misses_exactly(verdict, match.missing)) return false;
  return match.comment.empty() || text::glob_matches(match.comment, command.comment);
}

}  // namespace scattergate::proxy
