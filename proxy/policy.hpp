#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/options/rule.hpp"
#include "config/options/rule_match.hpp"
#include "routing/verdict.hpp"
#include "text/days.hpp"

namespace scattergate::proxy {

using sender = config::sender;

/// A judged command and its sender, as rules match them.
struct judged_command {
  const routing::verdict& verdict;
  sender from;
  std::string_view comment;
};

/// The decision on a command.
struct decision {
  bool is_finding = false;
  config::rule_action action = config::rule_action::observe;
  const config::rule* rule = nullptr;  ///< null: the default, which observes every scatter
  bool has_expired = false;  ///< it is observed because the accept rule `rule` has expired

  /// The touched namespace whose verdict decided; null: the command's own.
  const routing::touch* seen_by = nullptr;

  /// The reason in the command's comment, if the comment accepted it.
  std::string_view accepted_because{};
};

/// The rules that apply to a message that can't be judged completely. Every rule that could
/// match it counts as a match, so that a sender can't bypass a rule by making messages
/// unreadable or too costly to judge.
struct strict_rules {
  /// The first matching rule that rejects, otherwise the first that throttles; null: none.
  const config::rule* decides = nullptr;
  /// If `decides` is null: the dry-run rule that would decide.
  const config::rule* dry_run = nullptr;
};

/// The reason WHY in a comment "scattergate:accept WHY"; empty if the keyword or the reason is
/// missing.
[[nodiscard]] std::string_view reason_to_accept(std::string_view comment) noexcept;

/// The explanation that is reported for a finding that `rule` decides: its reason and owner.
[[nodiscard]] std::string why_of(const config::rule& rule);

/// The rules, in evaluation order. The first match decides. Without a match, these are
/// observed: every scatter_gather on a sharded collection, every lint, and every command that
/// can't be read completely.
///
/// Expired rules and dry runs don't decide. A finding that only an expired rule would have
/// accepted is observed and marked. An accept rule ends the evaluation for every command that
/// it matches, even one that isn't a finding. In namespaces that allow it, a comment may accept
/// what would otherwise be observed.
///
/// The rules are evaluated for each namespace that a command touches, and for each judgement in
/// it. The strictest result applies: reject, then throttle, observe, accept.
///
/// Thread-safety: immutable.
class policy {
 public:
  policy() = default;
  /// `accepting`: globs of the namespaces in which a comment may accept.
  explicit policy(std::vector<config::rule> rules, std::vector<std::string> accepting = {});

  /// Decides on a command. Calls `shape_hash` and `query_shape_hash` (empty: not certain) at
  /// most once each, and only if a rule that matches otherwise needs one. Calls `on_dry_run`
  /// with each dry-run rule that would have decided, and the touched namespace where it matches
  /// (null: the command's own).
  template <typename ShapeHash, typename QueryShapeHash, typename OnDryRun>
  [[nodiscard]] decision decide(const judged_command& command, ShapeHash&& shape_hash,
                                QueryShapeHash&& query_shape_hash,
                                OnDryRun&& on_dry_run) const {
    asked_shapes<ShapeHash, QueryShapeHash> shapes{shape_hash, query_shape_hash};
    decision strictest = decide_by(
        command, shapes, [&](const config::rule& rule) { on_dry_run(rule, nullptr); });
    for (const routing::touch& touched : command.verdict.touches) {
      const routing::verdict seen = command.verdict.seen_by(touched);
      decision other = decide_by({seen, command.from, command.comment}, shapes,
                                 [&](const config::rule& rule) { on_dry_run(rule, &touched); });
      if (strictness(other) <= strictness(strictest)) continue;
      strictest = other;
      strictest.seen_by = &touched;
    }
    return strictest;
  }
  template <typename ShapeHash>
  [[nodiscard]] decision decide(const judged_command& command, ShapeHash&& shape_hash) const {
    return decide(
        command, shape_hash, [] { return std::string{}; },
        [](const config::rule&, const routing::touch*) {});
  }

  /// The rules for a command of which a part couldn't be read or judged: those that could match
  /// the missing part. Rules by queryShapeHash can only match a find. Both members are null if
  /// everything was judged.
  [[nodiscard]] strict_rules for_unjudged(const judged_command& command) const;

  /// The rules for a message that can't be read. Only its sender is known, and its namespace
  /// ("db.collection") if `name_space` isn't null.
  [[nodiscard]] strict_rules for_unread(const sender& from,
                                        const std::string_view* name_space = nullptr) const;

  [[nodiscard]] std::span<const config::rule> all() const noexcept { return rules_; }

  /// Whether a rule names this namespace literally, without `*` or `?`. No heap.
  [[nodiscard]] bool names(wire::namespace_view name_space) const noexcept;

  /// Whether any rule rejects or throttles. If so, commands must be judged before they are
  /// forwarded.
  [[nodiscard]] bool has_blocking_rules() const noexcept;

  /// Whether different rules apply on the two days.
  [[nodiscard]] bool differs_between(text::day one, text::day other) const noexcept;

  /// Whether a rule matches by sender, comment or time of day. If so, the decision on a command
  /// can't be reused for equal ones.
  [[nodiscard]] bool depends_on_more_than_command() const noexcept {
    using enum config::asks;
    return asks_about(client_name) || asks_about(client_address) || asks_about(comment) ||
           asks_about(time);
  }

  /// Whether a rule matches by application or user.
  [[nodiscard]] bool needs_identity() const noexcept {
    return asks_about(config::asks::client_name);
  }

  /// Whether comments can affect a decision, and must be read.
  [[nodiscard]] bool reads_comments() const noexcept {
    return asks_about(config::asks::comment) || !accepting_.empty();
  }

 private:
  /// Computes the hashes of a command's shape on demand.
  template <typename ShapeHash, typename QueryShapeHash>
  class asked_shapes final : public config::shape_names {
   public:
    asked_shapes(ShapeHash& hash, QueryShapeHash& query_shape_hash) noexcept
        : hash_(hash), query_shape_hash_(query_shape_hash) {}

   private:
    std::uint64_t find_hash() override { return hash_(); }
    std::string find_query_shape_hash() override { return query_shape_hash_(); }

    ShapeHash& hash_;
    QueryShapeHash& query_shape_hash_;
  };

  template <typename OnDryRun>
  [[nodiscard]] decision decide_one(const judged_command& command, config::shape_names& shapes,
                                    OnDryRun on_dry_run) const {
    if (!may_be_finding(command.verdict)) return {};
    if (rules_.empty()) return {is_finding_by_default(command.verdict)};
    const config::namespace_text name_space{command.verdict.ns()};
    const config::known_parts parts{&command.from,    &command.verdict.command, &name_space,
                                    &command.verdict, &command.comment,         &shapes};
    const config::rule* expired = nullptr;
    for (const config::rule& rule : rules_) {
      const bool is_over = text::has_passed(rule.until, command.from.today);
      if (is_over && (rule.action != config::rule_action::accept || rule.dry_run)) continue;
      if (!config::could_match(rule.match, parts)) continue;
      const bool has_effect =
          rule.action != config::rule_action::accept || is_finding_by_default(command.verdict);
      if (is_over) {
        if (expired == nullptr) expired = &rule;
      } else if (rule.dry_run) {
        if (has_effect) on_dry_run(rule);
      } else {
        return has_effect ? decided_by(rule, expired) : decision{};
      }
    }
    const bool is_finding = is_finding_by_default(command.verdict);
    return {is_finding, config::rule_action::observe, expired, expired != nullptr, nullptr};
  }

  /// Decides by the rules, then by the comment.
  template <typename OnDryRun>
  [[nodiscard]] decision decide_by(const judged_command& command, config::shape_names& shapes,
                                   OnDryRun on_dry_run) const {
    decision made = decide_one(command, shapes, on_dry_run);
    if (!accepting_.empty()) accept_by_comment(command, made);
    return made;
  }
  void accept_by_comment(const judged_command& command, decision& made) const;

  /// A finding that is only observed is reported under the expired accept rule that matches it.
  [[nodiscard]] static decision decided_by(const config::rule& rule,
                                           const config::rule* expired) noexcept {
    if (expired != nullptr && rule.action == config::rule_action::observe) {
      return {true, rule.action, expired, true, nullptr};
    }
    return {true, rule.action, &rule, false, nullptr};
  }

  [[nodiscard]] static int strictness(const decision& made) noexcept;
  [[nodiscard]] static bool may_be_finding(const routing::verdict& verdict) noexcept;
  [[nodiscard]] static bool is_finding_by_default(const routing::verdict& verdict) noexcept;
  [[nodiscard]] bool asks_about(config::asks what) const noexcept {
    return (asked_ >> static_cast<unsigned>(what) & 1U) != 0;
  }

  std::vector<config::rule> rules_;
  std::vector<std::string> accepting_;
  std::vector<std::string> named_;  // namespaces that rules name exactly, sorted
  std::uint32_t asked_ = 0;         // one bit per config::asks that a rule needs
};

}  // namespace scattergate::proxy
