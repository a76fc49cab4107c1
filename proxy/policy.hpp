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

/// What rules match: one judged command, and its sender.
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
  bool has_expired = false;            ///< observed only because `rule` has expired

  /// The touched namespace whose verdict decided; null: the command's own.
  const routing::touch* seen_by = nullptr;

  /// The reason given in the command's comment, if that alone accepted it.
  std::string_view accepted_because{};
};

/// The rules for a message that can't be judged completely. It counts as matched by every rule
/// that could match it, so that a sender can't bypass a rule by making a message unreadable or
/// too costly to judge.
struct strict_rules {
  /// The first of these rules that rejects, else the first that throttles.
  const config::rule* decides = nullptr;
  /// If none decides: the dry run that would.
  const config::rule* dry_run = nullptr;
};

/// The WHY of "scattergate:accept WHY" in a comment; empty if the keyword or the WHY is
/// missing.
[[nodiscard]] std::string_view reason_to_accept(std::string_view comment) noexcept;

/// The text reported for a finding that `rule` decides: its reason and owner.
[[nodiscard]] std::string why_of(const config::rule& rule);

/// The rules, in the order in which they are evaluated; the first match decides. Without a
/// match, every scatter_gather on a sharded collection, every lint, and every command that
/// can't be read completely is observed.
///
/// Rules past their last day and dry runs are skipped; a finding that only an expired rule
/// would have accepted is observed and marked. An accept rule ends the search for every command
/// that it matches, even for one that isn't a finding. A comment may accept what would be
/// observed, in namespaces that allow it; nothing else.
///
/// The rules are evaluated for every namespace that a command touches, and for each way in
/// which it is judged there. The strictest result applies: reject, then throttle, observe,
/// accept.
///
/// Thread-safety: immutable.
class policy {
 public:
  policy() = default;
  /// `accepting`: globs of the namespaces in which a comment may accept what is observed.
  explicit policy(std::vector<config::rule> rules, std::vector<std::string> accepting = {});

  /// Decides about a command. Calls `shape_hash` and `query_shape_hash` (empty: not certain) at
  /// most once, and only if a rule that matches otherwise needs a shape. Calls `on_dry_run`
  /// with each dry run that would have decided, and the touched namespace for which it would
  /// have (null: the command's own).
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

  /// The rules for a command that was partly unreadable or not judged: those that could match
  /// if all of it were judged (by queryShapeHash: only for a find). Both null if everything was
  /// judged.
  [[nodiscard]] strict_rules for_unjudged(const judged_command& command) const;

  /// The rules for a message of which only the sender is known, and the namespace
  /// ("db.collection") if `name_space` isn't null.
  [[nodiscard]] strict_rules for_unread(const sender& from,
                                        const std::string_view* name_space = nullptr) const;

  [[nodiscard]] std::span<const config::rule> all() const noexcept { return rules_; }

  /// Whether a rule names this namespace exactly, without `*` or `?`. No heap.
  [[nodiscard]] bool names(wire::namespace_view name_space) const noexcept;

  /// Whether any rule rejects or throttles, so that commands must be judged before they are
  /// forwarded.
  [[nodiscard]] bool may_hold_up() const noexcept;

  /// Whether different rules apply on the two days.
  [[nodiscard]] bool differs_between(text::day one, text::day other) const noexcept;

  /// Whether a rule matches by sender, comment or time of day, so that equal commands may be
  /// decided differently.
  [[nodiscard]] bool depends_on_more_than_command() const noexcept {
    using enum config::asks;
    return asks_about(client_name) || asks_about(client_address) || asks_about(comment) ||
           asks_about(time);
  }

  /// Whether a rule matches by application or user.
  [[nodiscard]] bool asks_who() const noexcept { return asks_about(config::asks::client_name); }

  /// Whether a comment may decide; otherwise comments needn't be read.
  [[nodiscard]] bool looks_at_comments() const noexcept {
    return asks_about(config::asks::comment) || !accepting_.empty();
  }

 private:
  /// Functions that return the two hashes of a command's shape.
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

  /// Decides, including by the comment.
  template <typename OnDryRun>
  [[nodiscard]] decision decide_by(const judged_command& command, config::shape_names& shapes,
                                   OnDryRun on_dry_run) const {
    decision made = decide_one(command, shapes, on_dry_run);
    if (!accepting_.empty()) accept_by_comment(command, made);
    return made;
  }
  void accept_by_comment(const judged_command& command, decision& made) const;

  /// A match of an expired accept rule that the default would only observe is reported under
  /// that rule.
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
