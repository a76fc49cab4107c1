#include "proxy/policy.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "routing/catalog/catalog.hpp"
#include "wire/limits.hpp"

namespace scattergate::proxy {
namespace {

/// "db.collection" in a buffer of the caller's; cut where it is longer than any real one.
std::string_view full_name(const routing::verdict& verdict,
                           std::span<char, wire::limits::max_namespace_bytes + 1> buffer) {
  char* end = buffer.data();
  const auto put = [&](std::string_view text) {
    const auto room = static_cast<std::size_t>(buffer.data() + buffer.size() - end);
    end = std::copy_n(text.data(), std::min(room, text.size()), end);
  };
  put(verdict.database);
  put(".");
  put(verdict.collection);
  return {buffer.data(), end};
}

/// The documents of a time series stand in a collection of their own: whoever asks that one
/// asks the series.
bool name_space_matches(const std::string& glob, const routing::verdict& verdict) {
  constexpr std::string_view buckets = "system.buckets.";
  std::array<char, wire::limits::max_namespace_bytes + 1> buffer;
  if (config::glob_matches(glob, full_name(verdict, buffer))) return true;
  if (!verdict.collection.starts_with(buckets)) return false;
  routing::verdict series = verdict;
  series.collection.remove_prefix(buckets.size());
  return config::glob_matches(glob, full_name(series, buffer));
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
  return kind == routing::command_kind::aggregate || kind == routing::command_kind::bulk_write ||
         kind == routing::command_kind::map_reduce || kind == routing::command_kind::explain;
}

bool is_from_another(const config::rule_match& match, std::string_view app,
                     std::string_view user) {
  return (!match.app.empty() && match.app != app) ||
         (!match.user.empty() && match.user != user);
}

/// Whether a rule's namespace may be the verdict's, or which that is isn't told.
bool may_be_on(const config::rule_match& match, const routing::verdict& verdict) {
  const bool is_told = !verdict.collection.empty() && verdict.ns().is_possible();
  return match.name_space.empty() || !is_told || name_space_matches(match.name_space, verdict);
}

bool is_unjudged(const routing::verdict& verdict, bool counts_unreadable) noexcept {
  return verdict.why == routing::reason::too_deep || verdict.why == routing::reason::work_budget ||
         (counts_unreadable && verdict.why == routing::reason::unreadable);
}

/// Whether anything of the command is, in the namespaces that the rule is for.
bool has_unjudged(const judged_command& command, const config::rule_match& match,
                  bool counts_unreadable) {
  const routing::verdict& whole = command.verdict;
  if (whole.may_touch_more || (whole.abandoned && may_touch_others(whole.command))) return true;
  if (is_unjudged(whole, counts_unreadable) && may_be_on(match, whole)) return true;
  return std::ranges::any_of(whole.touches, [&](const routing::touch& touched) {
    const routing::verdict seen = whole.seen_by(touched);
    return is_unjudged(seen, counts_unreadable) && may_be_on(match, seen);
  });
}

}  // namespace

std::string why_of(const config::rule& rule) {
  if (rule.by.empty()) return rule.why;
  return rule.why.empty() ? "by " + rule.by : rule.why + " (" + rule.by + ")";
}

policy::policy(std::vector<config::rule> rules)
    : rules_(std::move(rules)),
      looks_at_comments_(
          std::any_of(rules_.begin(), rules_.end(),
                      [](const config::rule& rule) { return !rule.match.comment.empty(); })),
      asks_who_(std::any_of(rules_.begin(), rules_.end(),
                            [](const config::rule& rule) {
                              return !rule.match.app.empty() || !rule.match.user.empty();
                            })),
      depends_on_client_(asks_who_ || looks_at_comments_) {}

bool policy::may_reject() const noexcept {
  return std::any_of(rules_.begin(), rules_.end(), [](const config::rule& rule) {
    return rule.action == config::rule_action::reject;
  });
}

const config::rule* policy::reject_rule_for_unjudged(const judged_command& command,
                                                     bool counts_unreadable) const {
  for (const config::rule& rule : rules_) {
    const config::rule_match& match = rule.match;
    if (rule.action != config::rule_action::reject) continue;
    if (match.command && *match.command != command.verdict.command) continue;
    if (is_from_another(match, command.app, command.user)) continue;
    if (has_unjudged(command, match, counts_unreadable)) return &rule;
  }
  return nullptr;
}

const config::rule* policy::reject_rule_on(std::string_view name_space, std::string_view app,
                                           std::string_view user) const {
  for (const config::rule& rule : rules_) {
    const std::string& glob = rule.match.name_space;
    if (rule.action == config::rule_action::reject && !is_from_another(rule.match, app, user) &&
        (glob.empty() || config::glob_matches(glob, name_space))) {
      return &rule;
    }
  }
  return nullptr;
}

const config::rule* policy::reject_rule_for_unread(std::string_view app,
                                                   std::string_view user) const {
  for (const config::rule& rule : rules_) {
    if (rule.action == config::rule_action::reject && !is_from_another(rule.match, app, user)) {
      return &rule;
    }
  }
  return nullptr;
}

int policy::strictness(const decision& made) noexcept {
  if (!made.is_finding) return 0;
  switch (made.action) {
    case config::rule_action::accept:
      return 1;
    case config::rule_action::observe:
      return 2;
    case config::rule_action::reject:
      break;
  }
  return 3;
}

bool policy::may_be_finding(const routing::verdict& verdict) noexcept {
  if (verdict.lint != routing::lint_kind::none) return true;
  if (verdict.why == routing::reason::by_nature) return false;
  const auto family = routing::family_of(verdict.command);
  return family == routing::command_family::routed || family == routing::command_family::wraps;
}

bool policy::is_finding_by_default(const routing::verdict& verdict) noexcept {
  return verdict.is_scatter_on_sharded() || verdict.lint != routing::lint_kind::none;
}

bool policy::matches(const config::rule_match& match, const judged_command& command) {
  const routing::verdict& verdict = command.verdict;
  if (match.command && *match.command != verdict.command) return false;
  if (match.routing && *match.routing != verdict.routing) return false;
  if (!match.app.empty() && match.app != command.app) return false;
  if (!match.user.empty() && match.user != command.user) return false;
  if (!match.name_space.empty() && !name_space_matches(match.name_space, verdict)) return false;
  if (!match.missing.empty() && !misses_exactly(verdict, match.missing)) return false;
  return match.comment.empty() || config::glob_matches(match.comment, command.comment);
}

}  // namespace scattergate::proxy
