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
#include "text/time_text.hpp"

namespace scattergate::proxy {

using sender = config::sender;

/// A judged command and its sender, as rules match them. A view: doesn't own its parts.
struct judged_command {
  const routing::verdict& verdict;  ///< how mongos routes the command
  sender from;                      ///< the client and the current day
  std::string_view comment;         ///< the command's comment; empty if it has none, or no
                                    ///< rule needs it
};

/// The decision of the rules on a command. Its pointers and views refer to the rules, to the
/// verdict and to the comment, which must outlive it.
struct decision {
  bool is_finding = false;  ///< the command is reported; if false, it is only forwarded
  config::rule_action action = config::rule_action::observe;  ///< if `is_finding`: the action
                                                              ///< to take
  const config::rule* rule = nullptr;  ///< the rule that decided, or the rule that
                                       ///< `has_expired` is about; null: neither
  bool has_expired = false;  ///< `rule` accepts the command, but has expired, so the command
                             ///< is observed

  /// The namespace whose verdict decided, if it isn't the command's own namespace (a command
  /// may touch several); null: the command's own namespace.
  const routing::touch* decided_in = nullptr;

  /// The reason in the command's comment, if the comment accepted the command; otherwise empty.
  std::string_view accepted_because{};
};

/// The rules that apply to a message that can't be judged completely. Every rule that could
/// match the message counts as a match. So a sender can't bypass a rule by making messages
/// unreadable or too costly to judge.
struct strict_rules {
  /// The first matching rule that rejects. If there is none: the first matching rule that
  /// throttles. Null if there is neither.
  const config::rule* decides = nullptr;
  /// If `decides` is null: the matching dry-run rule that would decide if it weren't a dry
  /// run. Null if there is none.
  const config::rule* dry_run = nullptr;
};

/// The reason in a comment that accepts its command: WHY in "scattergate:accept WHY". Empty if
/// the keyword or the reason is missing.
[[nodiscard]] std::string_view reason_to_accept(std::string_view comment) noexcept;

/// The explanation to report for a finding on which `rule` decides: the rule's reason and
/// owner. Empty if the rule has neither.
[[nodiscard]] std::string why_of(const config::rule& rule);

/// The rules, in evaluation order. The first rule that matches a command decides: accept,
/// observe, throttle or reject. If no rule matches, four kinds of commands are findings with
/// the action observe: a scatter_gather on a sharded collection, a command with a lint (a
/// problem that doesn't depend on the routing class; see routing::lint_kind), a command that
/// mongos or a shard certainly rejects, and a command that can't be read completely.
///
/// Expired rules and dry-run rules (which only count their matches) don't decide. A finding
/// that only an expired rule would have accepted is observed (decision::has_expired). If an
/// accept rule matches, no later rule is evaluated, even if the command isn't a finding. In
/// namespaces that allow it, a command's comment may accept a finding. The comment counts only
/// if the action would be observe, and decision::has_expired is false.
///
/// A command may touch several namespaces, and may have several verdicts in one namespace (see
/// routing::touch). The rules are evaluated separately for each verdict. The strictest result
/// applies; reject is the strictest, then throttle, observe and accept. Among equal results,
/// that of a verdict which scatters on a sharded collection applies, or else the first.
///
/// Thread-safety: immutable.
class policy {
 public:
  policy() = default;
  /// `accepting`: globs of the namespaces in which a comment may accept commands.
  explicit policy(std::vector<config::rule> rules, std::vector<std::string> accepting = {});

  /// Decides on a command. Calls `shape_hash` and `query_shape_hash` at most once each, and
  /// only for a rule with a condition on that hash whose other conditions match.
  /// `query_shape_hash` returns an empty string if the hash can't be determined. Calls
  /// `on_dry_run` with each dry-run rule that would have decided, and with the namespace in
  /// which the rule matches (null: the command's own namespace).
  template <typename ShapeHash, typename QueryShapeHash, typename OnDryRun>
  [[nodiscard]] decision decide(const judged_command& command, ShapeHash&& shape_hash,
                                QueryShapeHash&& query_shape_hash,
                                OnDryRun&& on_dry_run) const {
    asked_shapes<ShapeHash, QueryShapeHash> shapes{shape_hash, query_shape_hash};
    decision strictest = decide_by(
        command, shapes, [&](const config::rule& rule) { on_dry_run(rule, nullptr); });
    bool scatters = command.verdict.is_scatter_on_sharded();
    for (const routing::touch& touched : command.verdict.touches) {
      const routing::verdict seen = command.verdict.verdict_in(touched);
      decision other = decide_by({seen, command.from, command.comment}, shapes,
                                 [&](const config::rule& rule) { on_dry_run(rule, &touched); });
      const bool is_first_scatter = !scatters && seen.is_scatter_on_sharded();
      const int more = strictness(other) - strictness(strictest);
      if (more < 0 || (more == 0 && !is_first_scatter) || !other.is_finding) continue;
      scatters = seen.is_scatter_on_sharded();
      strictest = other;
      strictest.decided_in = &touched;
    }
    return strictest;
  }
  /// Decides on a command whose MongoDB query shape hash is unknown. Calls `shape_hash` at
  /// most once. Doesn't report dry-run rules.
  template <typename ShapeHash>
  [[nodiscard]] decision decide(const judged_command& command, ShapeHash&& shape_hash) const {
    return decide(
        command, shape_hash, [] { return std::string{}; },
        [](const config::rule&, const routing::touch*) {});
  }

  /// The strictest rules that could match the part of a command that couldn't be read or
  /// judged. A rule with a queryShapeHash could match only if the command is a find. Both
  /// members of the result are null if the whole command was judged. They are also null if no
  /// rule that could match rejects or throttles.
  [[nodiscard]] strict_rules for_unjudged(const judged_command& command) const;

  /// The strictest rules that could match a message that can't be read. `from`: the message's
  /// sender. `name_space`: the message's namespace ("db.collection"); null: unknown.
  [[nodiscard]] strict_rules for_unread(const sender& from,
                                        const std::string_view* name_space = nullptr) const;

  /// All rules, in evaluation order, including expired rules and dry-run rules.
  [[nodiscard]] std::span<const config::rule> all() const noexcept { return rules_; }

  /// Whether a rule names this namespace literally, without `*` or `?`. Doesn't allocate.
  [[nodiscard]] bool names(wire::namespace_view name_space) const noexcept;

  /// Whether any rule other than a dry run rejects or throttles commands; expired rules count,
  /// too. If true, commands must be judged before they are forwarded.
  [[nodiscard]] bool has_blocking_rules() const noexcept;

  /// Whether a rule has expired on one of the two days, but not on the other.
  [[nodiscard]] bool differs_between(text::day one, text::day other) const noexcept;

  /// Whether a rule matches by sender or comment. If so, two equal commands may
  /// get different decisions.
  [[nodiscard]] bool depends_on_more_than_command() const noexcept {
    using enum config::condition_input;
    return depends_on(client_name) || depends_on(client_address) || depends_on(comment);
  }

  /// Whether a rule matches by application or user, so that clients must be identified.
  [[nodiscard]] bool needs_identity() const noexcept {
    return depends_on(config::condition_input::client_name);
  }

  /// Whether a command's comment can affect the decision, so that comments must be read.
  [[nodiscard]] bool reads_comments() const noexcept {
    return depends_on(config::condition_input::comment) || !accepting_.empty();
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
    config::known_parts parts{&command.from,    &command.verdict.command, &name_space,
                              &command.verdict, &command.comment,         &shapes};
    // An unknown user gains nothing: only rules that reject or throttle apply to any user.
    sender named = command.from;
    named.may_be_any_user = false;
    const config::rule* expired = nullptr;
    for (const config::rule& rule : rules_) {
      const bool is_over = text::has_passed(rule.until, command.from.today);
      if (is_over && (rule.action != config::rule_action::accept || rule.dry_run)) continue;
      parts.from = is_strict(rule.action) ? &command.from : &named;
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

  /// Decides on a command in one namespace: by the rules, then by the comment.
  template <typename OnDryRun>
  [[nodiscard]] decision decide_by(const judged_command& command, config::shape_names& shapes,
                                   OnDryRun on_dry_run) const {
    decision made = decide_one(command, shapes, on_dry_run);
    if (!accepting_.empty()) accept_by_comment(command, made);
    return made;
  }
  void accept_by_comment(const judged_command& command, decision& made) const;

  /// The decision by `rule`. `expired`: the first matching accept rule that has expired; null:
  /// none. A finding that `rule` only observes is reported under `expired`.
  [[nodiscard]] static decision decided_by(const config::rule& rule,
                                           const config::rule* expired) noexcept {
    if (expired != nullptr && rule.action == config::rule_action::observe) {
      return {true, rule.action, expired, true, nullptr};
    }
    return {true, rule.action, &rule, false, nullptr};
  }

  /// Whether the action rejects or throttles commands.
  [[nodiscard]] static bool is_strict(config::rule_action action) noexcept {
    return action == config::rule_action::reject || action == config::rule_action::throttle;
  }
  [[nodiscard]] static int strictness(const decision& made) noexcept;
  [[nodiscard]] static bool may_be_finding(const routing::verdict& verdict) noexcept;
  [[nodiscard]] static bool is_finding_by_default(const routing::verdict& verdict) noexcept;
  [[nodiscard]] bool depends_on(config::condition_input what) const noexcept {
    return (needed_inputs_ >> static_cast<unsigned>(what) & 1U) != 0;
  }

  std::vector<config::rule> rules_;
  std::vector<std::string> accepting_;
  std::vector<std::string> named_;   // namespaces that rules name exactly, sorted
  std::uint32_t needed_inputs_ = 0;  // one bit per config::condition_input that a rule needs
};

}  // namespace scattergate::proxy
