#pragma once

#include <span>
#include <string>
#include <string_view>

#include "config/options/match_conditions.hpp"
#include "config/text/map_entries.hpp"

/// Functions over all conditions of a rule's match; the conditions are in match_conditions.hpp.
namespace scattergate::config {

/// Reads a `match`.
[[nodiscard]] rule_match read_match(const text_tree::node& value, problem_log& problems);

/// The valid keys of a `match`.
[[nodiscard]] std::span<const std::string_view> match_keys() noexcept;

/// The conditions that are set, as YAML in flow style: {namespace: "shop.*", command: "find"}.
[[nodiscard]] std::string show_match(const rule_match& match);

/// Why no command can match under `catalog` (null: unknown); empty if one may.
[[nodiscard]] std::string why_never(const rule_match& match, const routing::catalog* catalog);

/// The match, with the conditions that its own conditions imply: MongoDB's shape hash implies a
/// find.
[[nodiscard]] rule_match with_implied(rule_match match);

/// Whether `wide` matches everything that `narrow` does; false if that can't be determined.
[[nodiscard]] bool covers(const rule_match& wide, const rule_match& narrow,
                          glob_budget& budget);

/// Whether some command may match both; false if that can't be determined.
[[nodiscard]] bool overlap(const rule_match& one, const rule_match& other, glob_budget& budget);

/// Whether any condition that is set depends on `what`.
[[nodiscard]] bool depends_on(const rule_match& match, condition_input what) noexcept;

/// The known parts of a message. A null part could be anything.
struct known_parts {
  const sender* from = nullptr;
  const routing::command_kind* command = nullptr;
  const namespace_text* name_space = nullptr;
  const routing::verdict* judged = nullptr;
  const std::string_view* comment = nullptr;
  shape_names* shapes = nullptr;
};

/// Whether a message with these known parts could match; if all parts are known, whether it
/// does. Evaluates expensive conditions last. Doesn't allocate, except for computing the
/// shape's hashes.
[[nodiscard]] bool could_match(const rule_match& match, const known_parts& message);

}  // namespace scattergate::config
