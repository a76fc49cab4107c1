#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "sim/targeting/filter_tree.hpp"

/// Splits filters, so that a `$match` can move before the preceding stage.
namespace scattergate::sim {

/// A stage's effect on the fields of a document.
struct stage_effects {
  bool changes_all_but = false;                  ///< `paths` are those that it doesn't change
  std::set<std::string> paths{};                 ///< that it changes
  std::map<std::string, std::string> renames{};  ///< new field names, mapped to the old ones
  bool lets_expressions_pass = false;            ///< `$expr` may move, if it uses other fields
  bool lets_array_conditions_pass = false;  ///< `$elemMatch` and `$size` may move, if they use
                                            ///< other fields
};

/// Two parts of a filter whose conjunction is the filter; std::nullopt for an empty part.
struct split_filter {
  std::optional<filter_node> moved;  ///< with the field names valid before the stage
  std::optional<filter_node> kept;
};

/// Separates the part of a filter that means the same before a stage as after it (mongo:
/// expression_algo.cpp, splitMatchExpressionBy).
[[nodiscard]] split_filter split_by(filter_node filter, const stage_effects& stage);

/// Whether the filter has `{path: {$exists: ...}}` anywhere.
[[nodiscard]] bool asks_existence(const filter_node& filter, std::string_view path);

/// Whether the filter has a condition of this kind on one of the paths, or below.
[[nodiscard]] bool has_condition(const filter_node& filter, filter_kind kind,
                                 const std::set<std::string>& paths);

/// The part of a filter that a `$redact` can't make true (mongo: document_source_match.cpp,
/// redactSafePortion); std::nullopt if there is none.
[[nodiscard]] std::optional<filter_node> safe_from_redact(const filter_node& filter,
                                                          const targeting_rules& rules);

}  // namespace scattergate::sim
