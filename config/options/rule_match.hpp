#pragma once

#include <span>
#include <string>
#include <string_view>

#include "config/options/match_conditions.hpp"
#include "config/text/map_entries.hpp"

/// What goes over all conditions of a rule's match; the conditions are in match_conditions.hpp.
namespace scattergate::config {

/// Reads a `match`.
[[nodiscard]] rule_match read_match(const text_tree::node& value, problem_log& problems);

/// The keys that it may have.
[[nodiscard]] std::span<const std::string_view> match_keys() noexcept;

/// What is given of it, as YAML in flow style: {namespace: "shop.*", command: "find"}.
[[nodiscard]] std::string show_match(const rule_match& match);

/// Why no command can be all that it asks for, under that catalog, where it is known; empty
/// where one may.
[[nodiscard]] std::string why_never(const rule_match& match, const routing::catalog* by);

/// The match with what its conditions imply: of finds alone it is known what MongoDB calls
/// their shapes.
[[nodiscard]] rule_match with_implied(rule_match match);

/// Whether one takes all that the other does; false where that can't be told.
[[nodiscard]] bool covers(const rule_match& wide, const rule_match& narrow,
                          glob_budget& budget);

/// Whether there may be a command that both take; false where that can't be told.
[[nodiscard]] bool overlap(const rule_match& one, const rule_match& other, glob_budget& budget);

/// Whether any condition that is given asks about that.
[[nodiscard]] bool asks_about(const rule_match& match, asks what) noexcept;

/// What is known of a message. What is null could be anything.
struct known_parts {
  const sender* from = nullptr;
  const routing::command_kind* command = nullptr;
  const namespace_text* name_space = nullptr;
  const routing::verdict* judged = nullptr;
  const std::string_view* comment = nullptr;
  shape_names* shapes = nullptr;
};

/// Whether a message of which this is known could match: where all is known, whether it does.
/// What costs more is looked at last. No heap, but what the shape's names take.
[[nodiscard]] bool could_match(const rule_match& match, const known_parts& message);

}  // namespace scattergate::config
