#pragma once

#include <string_view>

namespace scattergate::sim {

/// How a version of mongos reads and plans filters, where versions differ.
struct targeting_rules {
  bool bounds_by_order = false;         ///< `$expr` bounds by `$gt` and its kin too
  bool moves_expressions = false;       ///< `$expr` moves before a stage as other conditions do
  bool moves_array_conditions = false;  ///< `$elemMatch` and `$size` move too
  bool renames_group_keys = false;      ///< `{m: "$_id.c"}` behind a `$group` is a rename
  bool has_end_in_last_chunk = false;   ///< MaxKey lies in the last chunk, else in none
  bool sees_collated_hashes = false;    ///< a collation voids the hash of a string
  bool knows_now = false;               ///< `$$NOW` is a constant
  bool joins_alternatives = false;      ///< an `$or` of equalities of one field is an `$in`
  bool folds_negations = false;         ///< `$nor` and `$not` of constants are constants
  bool simplifies = false;              ///< filters take their shortest form
  bool plans_nothing = false;           ///< for what is never true: one shard, else all
  bool has_no_undefined = false;        ///< null doesn't stand for undefined
  bool bounds_by_lists = false;         ///< `$expr` bounds by `$in` of a list too
  bool bounds_buckets = false;          ///< a time series' buckets by their span, in `$or` too
  bool bounds_fixed_buckets = false;    ///< and by where they begin, if at multiples of it
  bool bounds_meta_anywhere = false;    ///< and by any condition on their meta field
  bool drops_empty_lists = false;       ///< `$in: []` is false, and goes as an `$or`'s branch
};

/// Those of a version, "4.4" or a later one.
[[nodiscard]] targeting_rules rules_of(std::string_view version);

}  // namespace scattergate::sim
