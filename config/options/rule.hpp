#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "routing/command_kind.hpp"
#include "routing/verdict.hpp"

namespace scattergate::config {

/// What a rule does with the commands it matches.
enum class rule_action : std::uint8_t { observe, accept, reject };

/// What a rule looks at. A field that isn't given matches everything; all that are given must
/// match.
struct rule_match {
  std::string name_space;  ///< glob (`*`, `?`) over "db.collection"
  std::optional<routing::command_kind> command;
  std::optional<routing::routing_class> routing;
  std::vector<std::string> missing;    ///< exactly these key fields, in any order
  std::optional<std::uint64_t> shape;  ///< shape hash
  std::string app;                     ///< appName, exact
  std::string user;                    ///< exact
  std::string comment;                 ///< glob over the text of `comment`
  friend bool operator==(const rule_match&, const rule_match&) = default;
};

/// One line of the policy: the first rule that matches a command decides.
struct rule {
  std::string name;
  rule_match match;
  rule_action action = rule_action::observe;
  std::string why;
  std::string by;
  friend bool operator==(const rule&, const rule&) = default;
};

/// Whether `text` matches `glob`: `*` any run, `?` any one byte, everything else itself.
/// Never slower than text × glob, so linear in the text for a given glob. No heap.
[[nodiscard]] bool glob_matches(std::string_view glob, std::string_view text) noexcept;

[[nodiscard]] std::string_view label(rule_action action) noexcept;
/// The action of this label; nothing where none has it.
[[nodiscard]] std::optional<rule_action> action_labelled(std::string_view label) noexcept;

}  // namespace scattergate::config
