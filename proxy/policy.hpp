#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/options/rule.hpp"
#include "routing/verdict.hpp"

namespace scattergate::proxy {

/// What the rules are asked about: one command, judged, and who sent it.
struct judged_command {
  const routing::verdict& verdict;
  std::string_view app;
  std::string_view user;
  std::string_view comment;
};

/// What becomes of a command.
struct decision {
  bool is_finding = false;
  config::rule_action action = config::rule_action::observe;
  const config::rule* rule = nullptr;  ///< null: the default, observe every scatter

  /// The touched namespace whose verdict decided; null: the command's own.
  const routing::touch* seen_by = nullptr;
};

/// What is said of a finding that `rule` decides: why, and by whom.
[[nodiscard]] std::string why_of(const config::rule& rule);

/// The rules in the order in which they are asked; the first that matches decides, and where
/// none does every scatter_gather on a sharded collection, and every lint, is observed. Every
/// namespace that a command touches asks, and so does each way in which it is judged there; the
/// strictest answer stands: reject before observe before accept.
/// Thread-safety: immutable.
class policy {
 public:
  policy() = default;
  explicit policy(std::vector<config::rule> rules);

  /// `shape_hash` is called at most once, and only where a rule that matches otherwise asks
  /// for a shape.
  template <typename ShapeHash>
  [[nodiscard]] decision decide(const judged_command& command, ShapeHash&& shape_hash) const {
    std::optional<std::uint64_t> hash;
    const auto hash_once = [&] {
      if (!hash) hash = shape_hash();
      return *hash;
    };
    decision strictest = decide_one(command, hash_once);
    for (const routing::touch& touched : command.verdict.touches) {
      const routing::verdict seen = command.verdict.seen_by(touched);
      decision other = decide_one({seen, command.app, command.user, command.comment}, hash_once);
      if (strictness(other) <= strictness(strictest)) continue;
      strictest = other;
      strictest.seen_by = &touched;
    }
    return strictest;
  }

  /// The first reject rule that could have matched a command, had all of it been judged; null
  /// where there is none, or all was. Too much to judge is never a way around a rule;
  /// what can't be read counts where `counts_unreadable`.
  [[nodiscard]] const config::rule* reject_rule_for_unjudged(const judged_command& command,
                                                             bool counts_unreadable) const;

  /// The first reject rule that could have matched a message on this namespace
  /// ("db.collection") of which nothing else is known but who sent it; null where there is none.
  [[nodiscard]] const config::rule* reject_rule_on(std::string_view name_space,
                                                   std::string_view app,
                                                   std::string_view user) const;

  /// The first reject rule that could have matched a message of which nothing is known but who
  /// sent it; null where there is none.
  [[nodiscard]] const config::rule* reject_rule_for_unread(std::string_view app,
                                                           std::string_view user) const;

  /// Whether any rule rejects: then nothing is passed on before it has been judged.
  [[nodiscard]] bool may_reject() const noexcept;

  /// Whether a rule matches by who sent a command, or by its comment: then the same command
  /// isn't always decided in the same way.
  [[nodiscard]] bool depends_on_client() const noexcept { return depends_on_client_; }

  /// Whether a rule matches by application or user.
  [[nodiscard]] bool asks_who() const noexcept { return asks_who_; }

  /// Whether any rule matches by comment (else nobody needs to look for one).
  [[nodiscard]] bool looks_at_comments() const noexcept { return looks_at_comments_; }

 private:
  template <typename ShapeHash>
  [[nodiscard]] decision decide_one(const judged_command& command,
                                    ShapeHash& shape_hash) const {
    if (!may_be_finding(command.verdict)) return {};
    for (const config::rule& rule : rules_) {
      if (!matches(rule.match, command)) continue;
      if (rule.match.shape && *rule.match.shape != shape_hash()) continue;
      return {true, rule.action, &rule, nullptr};
    }
    return {is_finding_by_default(command.verdict), config::rule_action::observe, nullptr,
            nullptr};
  }

  [[nodiscard]] static int strictness(const decision& made) noexcept;
  [[nodiscard]] static bool may_be_finding(const routing::verdict& verdict) noexcept;
  [[nodiscard]] static bool is_finding_by_default(const routing::verdict& verdict) noexcept;
  [[nodiscard]] static bool matches(const config::rule_match& match,
                                    const judged_command& command);

  std::vector<config::rule> rules_;
  bool looks_at_comments_ = false;
  bool asks_who_ = false;
  bool depends_on_client_ = false;
};

}  // namespace scattergate::proxy
