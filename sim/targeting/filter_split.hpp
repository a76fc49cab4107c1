#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "sim/targeting/filter_tree.hpp"

/// Splits the filter of a `$match` at the preceding stage: into the part that can be applied
/// before the stage, and the rest.
namespace scattergate::sim {

/// A stage's effect on the fields of documents, as far as it matters for moving a `$match`
/// before the stage.
struct stage_effects {
  bool changes_all_but = false;   ///< the stage changes all paths except `paths` and `renames`
  std::set<std::string> paths{};  ///< the changed paths; if changes_all_but, the unchanged
                                  ///< paths
  std::map<std::string, std::string> renames{};  ///< maps the new names of renamed fields to
                                                 ///< the old names
  bool lets_expressions_pass = false;  ///< `$expr` may move before the stage if it uses none of
                                       ///< the changed fields
  bool lets_array_conditions_pass = false;  ///< `$elemMatch` and `$size` may move before the
                                            ///< stage if they use none of the changed fields
};

/// A filter split at a stage; both parts together are equivalent to the filter. std::nullopt:
/// an empty part.
struct split_filter {
  std::optional<filter_node> moved;  ///< applied before the stage; uses the old field names
  std::optional<filter_node> kept;   ///< applied after the stage; uses the new field names
};

/// Splits a filter into the part that can be applied before a stage with the same result, and
/// the rest (mongo: expression_algo.cpp, splitMatchExpressionBy).
[[nodiscard]] split_filter split_by(filter_node filter, const stage_effects& stage);

/// Whether the filter has an `$exists` condition on `path`, at any depth.
[[nodiscard]] bool asks_existence(const filter_node& filter, std::string_view path);

/// Whether the filter has a condition of this kind on one of the paths or below one of them.
[[nodiscard]] bool has_condition(const filter_node& filter, filter_kind kind,
                                 const std::set<std::string>& paths);

/// Returns the part of a filter that mongos also applies before a `$redact`. Hiding fields
/// can't make this part true (mongo: document_source_match.cpp, redactSafePortion).
/// std::nullopt if there is none.
[[nodiscard]] std::optional<filter_node> safe_from_redact(const filter_node& filter,
                                                          const targeting_rules& rules);

}  // namespace scattergate::sim
