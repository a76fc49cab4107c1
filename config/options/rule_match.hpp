#pragma once

#include <span>
#include <string>
#include <string_view>

#include "config/options/match_conditions.hpp"
#include "config/text/map_entries.hpp"

/// Reads, compares and evaluates the `match` of a rule: all its conditions together. The
/// conditions themselves are in match_conditions.hpp.
namespace scattergate::config {

/// Reads a rule's `match` from a file. Adds problems for unknown keys and invalid values.
[[nodiscard]] rule_match read_match(const text_tree::node& value, problem_log& problems);

/// The valid keys of a `match`.
[[nodiscard]] std::span<const std::string_view> match_keys() noexcept;

/// The conditions that are set, as YAML in flow style: {namespace: "shop.*", command: "find"}.
[[nodiscard]] std::string show_match(const rule_match& match);

/// The reason why no command can match `match` if `catalog` is in use (null: unknown); empty if
/// some command may match.
[[nodiscard]] std::string why_never(const rule_match& match, const routing::catalog* catalog);

/// Adds conditions that follow from those that are set: with a queryShapeHash, the command must
/// be a find. Returns the result.
[[nodiscard]] rule_match with_implied(rule_match match);

/// Whether `wide` matches every command that `narrow` matches; false if the answer can't be
/// determined within the budget.
[[nodiscard]] bool covers(const rule_match& wide, const rule_match& narrow,
                          glob_budget& budget);

/// Whether some command may match both; false if the answer can't be determined within the
/// budget.
[[nodiscard]] bool overlap(const rule_match& one, const rule_match& other, glob_budget& budget);

/// Whether a condition that is set depends on this part of a message. If none does, the part
/// needn't be read to evaluate the rule.
[[nodiscard]] bool depends_on(const rule_match& match, condition_input what) noexcept;
/// Whether a condition depends on the catalog: on the command's verdict.
[[nodiscard]] inline bool asks_catalog(const rule_match& match) noexcept {
  return depends_on(match, condition_input::judgement);
}

/// The parts of a message that are known so far. A null part isn't known yet, and could have
/// any value.
struct known_parts {
  const sender* from = nullptr;                    ///< the client, and today's date in UTC
  const routing::command_kind* command = nullptr;  ///< the command's kind
  const namespace_text* name_space = nullptr;
  const routing::verdict* judged = nullptr;  ///< the command's verdict
  const std::string_view* comment = nullptr;
  shape_names* shapes = nullptr;  ///< the hashes of the command's shape
};

/// Whether a message with these known parts could match. If all parts are known: whether it
/// matches. Evaluates expensive conditions last. Doesn't allocate, except for computing the
/// shape's hashes.
[[nodiscard]] bool could_match(const rule_match& match, const known_parts& message);

}  // namespace scattergate::config
