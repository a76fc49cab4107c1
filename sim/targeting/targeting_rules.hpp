#pragma once

#include <string_view>

namespace scattergate::sim {

/// The rules of parsing and planning filters that differ between versions of mongos. "Gives
/// bounds": the condition limits the shards that a command is sent to. "A renaming": the stage
/// only gives a field a new name, so that a `$match` on the field may move before the stage.
struct targeting_rules {
  /// `$expr` gives bounds by `$gt` and similar operators, not only by `$eq`.
  bool bounds_by_order = false;
  bool rejects_regex_options = false;  ///< a regular expression with an unknown option is an
                                       ///< error; if false, mongos ignores the option
  bool excludes_ends = false;          ///< `{$lt: MaxKey}` excludes MaxKey, and `{$gt: MinKey}`
                                       ///< excludes MinKey
  bool copies_operators = false;       ///< before a `$redact`, mongos also applies a copy of
                                       ///< conditions written as `{$eq: ...}`
  bool moves_expressions = false;      ///< a `$match` with `$expr` may move before a stage
  /// A `$match` with `$elemMatch` or `$size` may move before a stage.
  bool moves_array_conditions = false;
  bool renames_group_keys = false;  ///< `{m: "$_id.c"}` after a `$group` is a renaming
  bool renames_nested = false;      ///< `{"a.b": "$x"}` and a `$map` of fields are renamings
  bool guards_group_keys = false;   ///< `$type` and most `$expr` don't move before a `$group`
  bool drops_same_roots = false;    ///< mongos removes a leading `{$replaceWith: "$$ROOT"}`
  bool has_end_in_last_chunk = false;  ///< the last chunk contains the position with MaxKey in
                                       ///< every field; if false, no chunk does
  bool sees_collated_hashes = false;   ///< under a collation, mongos doesn't select a shard
                                       ///< by a hash, which may come from a string
  bool knows_now = false;              ///< mongos evaluates `$$NOW`
  bool joins_alternatives = false;     ///< an `$or` of equalities on one field is planned as an
                                       ///< `$in`
  bool folds_nor_of_one = false;       ///< `{$nor: [{}]}` is planned as a constant
  bool folds_negations = false;  ///< `$nor` and `$not` of constants are planned as constants
  bool simplifies = false;       ///< mongos plans the shortest form of a filter; see
                                 ///< boolean_simplified()
  bool plans_nothing = false;    ///< a command whose filter can't match any document is sent to
                                 ///< one shard; if false, to all shards
  bool has_no_undefined = false;   ///< an equality with null doesn't match undefined
  bool inlines_variables = false;  ///< mongos replaces a `$let` of constants by its `in`
  bool bounds_by_hashes = false;   ///< an `$expr` with `$toHashedIndexKey` gives bounds on the
                                   ///< hashed field
  bool bounds_by_lists = false;    ///< `$expr` gives bounds by `$in` with a list
  /// A condition on a measurement's time gives bounds on the first and last time in a bucket
  /// (a document with several measurements), because the bucket's span is limited. Also within
  /// `$or`.
  bool bounds_buckets = false;
  /// A condition on a measurement's time gives exact bounds on the start of a bucket, if all
  /// buckets start at multiples of their span.
  bool bounds_fixed_buckets = false;
  /// All conditions on the meta field of a time series give bounds on buckets; if false, not
  /// `$in`, and not most conditions within `$or`.
  bool bounds_meta_anywhere = false;
  bool drops_empty_lists = false;  ///< mongos detects that `$in: []` matches nothing, and
                                   ///< removes it as a branch of an `$or`
};

/// The rules of a version, such as "8.0". REQUIRES: "4.4" or later.
[[nodiscard]] targeting_rules rules_of(std::string_view version);

}  // namespace scattergate::sim
