#pragma once

#include <string_view>

namespace scattergate::sim {

/// The rules by which a version of mongos parses and plans filters, if versions differ.
struct targeting_rules {
  /// `$expr` gives bounds by `$gt` and similar operators, not only by `$eq`.
  bool bounds_by_order = false;
  bool excludes_ends = false;      ///< `{$lt: MaxKey}` excludes MaxKey, `{$gt: MinKey}` MinKey
  bool copies_operators = false;   ///< `{$eq: ...}` is copied before a `$redact`
  bool moves_expressions = false;  ///< `$expr` moves before a stage like other conditions
  /// `$elemMatch` and `$size` move before a stage like other conditions.
  bool moves_array_conditions = false;
  bool renames_group_keys = false;     ///< `{m: "$_id.c"}` after a `$group` is a rename
  bool renames_nested = false;         ///< `{"a.b": "$x"}` and a `$map` of fields are renames
  bool guards_group_keys = false;      ///< `$type` and most `$expr` stay after a `$group`
  bool drops_same_roots = false;       ///< a leading `{$replaceWith: "$$ROOT"}` is dropped
  bool has_end_in_last_chunk = false;  ///< the last chunk contains MaxKey; otherwise none does
  bool sees_collated_hashes = false;   ///< a collation invalidates the hash of a string
  bool knows_now = false;              ///< `$$NOW` is a constant
  bool joins_alternatives = false;     ///< an `$or` of equalities on one field is an `$in`
  bool folds_negations = false;        ///< `$nor` and `$not` of constants are constants
  bool simplifies = false;             ///< filters take their shortest form
  bool plans_nothing = false;     ///< a filter that is never true asks one shard; otherwise all
  bool has_no_undefined = false;  ///< null doesn't match undefined
  bool inlines_variables = false;  ///< a `$let` of constants is replaced by its `in`
  bool bounds_by_hashes = false;   ///< `$expr` on a `$toHashedIndexKey` bounds the hashed field
  bool bounds_by_lists = false;    ///< `$expr` gives bounds by `$in` with a list
  bool bounds_buckets = false;     ///< a condition on the time bounds a time series' buckets by
                                   ///< their span, even within `$or`
  bool bounds_fixed_buckets = false;  ///< a condition on the time bounds the start of a time
                                      ///< series' buckets, if that is a multiple of their span
  /// Any condition on the meta field bounds a time series' buckets.
  bool bounds_meta_anywhere = false;
  bool drops_empty_lists = false;  ///< `$in: []` is false, and is dropped as an `$or`'s branch
};

/// The rules of a version, "4.4" or later.
[[nodiscard]] targeting_rules rules_of(std::string_view version);

}  // namespace scattergate::sim
