#pragma once

#include <string_view>

namespace scattergate::sim {

/// The rules by which a version of mongos parses and plans filters, if versions differ.
struct targeting_rules {
  bool bounds_by_order = false;    ///< `$expr` bounds by `$gt` and similar operators, too
  bool excludes_ends = false;      ///< `{$lt: MaxKey}` excludes MaxKey, `{$gt: MinKey}` MinKey
  bool copies_operators = false;   ///< `{$eq: ...}` is copied before a `$redact`
  bool moves_expressions = false;  ///< `$expr` moves before a stage as other conditions do
  bool moves_array_conditions = false;  ///< `$elemMatch` and `$size` move, too
  bool renames_group_keys = false;      ///< `{m: "$_id.c"}` after a `$group` is a rename
  bool renames_nested = false;          ///< so are `{"a.b": "$x"}` and what a `$map` does
  bool guards_group_keys = false;       ///< `$type` and most `$expr` stay after a `$group`
  bool drops_same_roots = false;        ///< a leading `{$replaceWith: "$$ROOT"}` is dropped
  bool has_end_in_last_chunk = false;   ///< the last chunk contains MaxKey; otherwise none does
  bool sees_collated_hashes = false;    ///< a collation invalidates the hash of a string
  bool knows_now = false;               ///< `$$NOW` is a constant
  bool joins_alternatives = false;      ///< an `$or` of equalities on one field is an `$in`
  bool folds_negations = false;         ///< `$nor` and `$not` of constants are constants
  bool simplifies = false;              ///< filters take their shortest form
  bool plans_nothing = false;     ///< a filter that is never true asks one shard; otherwise all
  bool has_no_undefined = false;  ///< null doesn't match undefined
  bool inlines_variables = false;  ///< a `$let` of constants is replaced by its `in`
  bool bounds_by_hashes = false;   ///< `$expr` bounds a hashed field by its `$toHashedIndexKey`
  bool bounds_by_lists = false;    ///< `$expr` bounds by `$in` with a list, too
  bool bounds_buckets = false;  ///< a time series' buckets are bounded by their span, in `$or`,
                                ///< too
  bool bounds_fixed_buckets = false;  ///< and by their start, if that is a multiple of the span
  bool bounds_meta_anywhere = false;  ///< and by any condition on their meta field
  bool drops_empty_lists = false;  ///< `$in: []` is false, and is dropped as an `$or`'s branch
};

/// The rules of a version, "4.4" or later.
[[nodiscard]] targeting_rules rules_of(std::string_view version);

}  // namespace scattergate::sim
