#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "sim/targeting/filter_tree.hpp"

/// Taking filters apart, so that a `$match` can move before the stage that it follows.
namespace scattergate::sim {

/// What a stage does to the fields of a document.
struct stage_effects {
  bool changes_all_but = false;   ///< then `paths` are those that it leaves alone
  std::set<std::string> paths{};  ///< that it changes
  std::map<std::string, std::string> renames{};  ///< new names of fields, to the old ones
  bool lets_expressions_pass = false;            ///< `$expr`, where they use other fields
  bool lets_array_conditions_pass = false;       ///< `$elemMatch` and `$size` likewise
};

/// A filter in its halves, which hold together: nothing where there is no such part.
struct split_filter {
  std::optional<filter_node> moved;  ///< in the names that fields have before the stage
  std::optional<filter_node> kept;
};

/// Which part of a filter means the same before a stage as after it
/// (mongo: expression_algo.cpp, splitMatchExpressionBy).
[[nodiscard]] split_filter split_by(filter_node filter, const stage_effects& stage);

/// Whether `{path: {$exists: ...}}` stands anywhere in it.
[[nodiscard]] bool asks_existence(const filter_node& filter, std::string_view path);

/// The part of a filter that a `$redact` can't make true (mongo: document_source_match.cpp,
/// redactSafePortion); nothing where there is none.
[[nodiscard]] std::optional<filter_node> safe_from_redact(const filter_node& filter);

}  // namespace scattergate::sim
