#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "routing/bounds/filter_fault.hpp"
#include "routing/bounds/match_operator.hpp"
#include "routing/catalog/catalog.hpp"
#include "routing/keys/interval.hpp"
#include "routing/scratch.hpp"
#include "routing/verdict.hpp"
#include "wire/bson.hpp"

namespace scattergate::routing {

/// The bounds (ranges of values) that one comparison with one value gives on one field of the
/// shard key (mongo: query/index_bounds_builder.cpp).

/// A regular expression in a filter, whether it is a BSON regex or a `$regex` with `$options`.
struct regex_parts {
  std::string_view pattern;
  std::string_view options;
};

/// The parts of a BSON regex; std::nullopt if it is corrupt.
[[nodiscard]] std::optional<regex_parts> regex_of(const wire::element& value) noexcept;

/// The fault with which mongos rejects a regular expression; `none` if no fault is certain.
/// Finds an unknown option, which versions before 5.1 ignore (SERVER-26991), an unmatched
/// bracket, and a quantifier with nothing to repeat (mongo: matcher/expression_leaf.cpp,
/// RegexMatchExpression; util/pcre_util.cpp, flagsToOptions). Finds no fault in a pattern whose
/// option is x, or that contains a construct which isn't examined here: `(?`, `(*`, `\Q`, `\c`,
/// or `[` within brackets.
[[nodiscard]] filter_fault fault_of(const regex_parts& regex, server_version version) noexcept;

/// The literal text with which every matching string begins: "ab" for /^ab/ (mongo:
/// query/index_bounds_builder.cpp, simpleRegex). Empty if there is none, if it isn't certain,
/// or if `memory` is exhausted.
[[nodiscard]] std::string_view literal_prefix(const regex_parts& regex,
                                              scratch& memory) noexcept;

/// The facts that determine the bounds of a comparison on a key field: the properties of the
/// field, the collation, and the version of mongos.
struct field_rules {
  bool hashed = false;                ///< the key field is hashed
  bool simple_collation = true;       ///< strings are compared byte by byte
  bool null_means_undefined = false;  ///< an equality with null also matches undefined; before
                                      ///< 8.0
  bool is_before_5_0 = false;  ///< mongos takes {$gt: MinKey} and {$lt: MaxKey} as true for
                               ///< all values
};

/// Whether mongos accepts an equality on a hashed field under any collation, as 4.4 does. Also
/// true for 5.0.0, of which a pre-release was recorded (tests/real). Not known for later patch
/// levels of 5.0: false, which gives wider bounds.
[[nodiscard]] constexpr bool is_like_4_4(server_version version) noexcept {
  return version.precedes({5, 0, 1});
}

/// The bounds that a predicate gives on one key field.
struct field_bounds {
  interval_set set = interval_set::full();  ///< the values that may match
  reason cause = reason::none;  ///< why `set` is full, if it is; `unreadable`: corrupt BSON
  bool invertible = true;       ///< `set` is exact, so the negation's bounds are its complement
  bool is_complement = false;   ///< `set` is the complement of another set, because of a
                                ///< negation
  bool uses_index = true;  ///< an index on the field can support the predicate, even if `set`
                           ///< is full

  /// Full bounds, for the reason `cause`, of a predicate that no index supports.
  [[nodiscard]] static field_bounds nothing_known(reason cause) noexcept {
    return {interval_set::full(), cause, false, false, false};
  }
};

/// Whether a collation affects comparisons of values of this type (mongo: CollationIndexKey).
[[nodiscard]] bool is_collatable(wire::bson_type type) noexcept;

/// The bounds of an equality of the field with `value`. An array gives two points: the array
/// and its first member, both unhashed even if the field is hashed (mongo:
/// index_bounds_builder.cpp, translateEquality, the same from 5.0 to 8.2).
[[nodiscard]] field_bounds equal_to(const wire::element& value, const field_rules& rules,
                                    scratch& memory) noexcept;

/// The bounds of a comparison of the field's hash with `hash`, to which mongos rewrites an
/// $expr with $toHashedIndexKey; full bounds if the field isn't hashed (mongo:
/// matcher/expression_internal_eq_hashed_key.h at 1c287af; query/index_bounds_builder.cpp,
/// INTERNAL_EQ_HASHED_KEY).
[[nodiscard]] field_bounds hashing_to(const wire::element& hash, const field_rules& rules,
                                      scratch& memory) noexcept;

/// The bounds of a `$gt`, `$gte`, `$lt` or `$lte`. `bracketed`: whether only values of the
/// operand's type match, as in a filter; false in an $expr.
[[nodiscard]] field_bounds compared_to(field_operator op, const wire::element& value,
                                       bool bracketed, const field_rules& rules,
                                       scratch& memory) noexcept;

/// Whether a comparison excludes only MaxKey ({$lt: MaxKey}) or only MinKey ({$gt: MinKey}).
[[nodiscard]] bool excludes_only_end(field_operator op, const wire::element& operand) noexcept;

/// The bounds of the negation of a comparison for which excludes_only_end() is true: the point
/// `operand`; before 5.0 an empty set; full bounds if the field is hashed (mongo:
/// index_bounds_builder.cpp, LT and GT: allValuesRespectingInclusion; in 4.4
/// planner_ixselect.cpp, isGTMinKey).
[[nodiscard]] field_bounds bounds_of_excluded_end(const wire::element& operand,
                                                  const field_rules& rules,
                                                  scratch& memory) noexcept;

/// The bounds of a comparison in an $expr with a date that only the server knows ($$NOW).
[[nodiscard]] field_bounds with_unknown_date(field_operator op, const field_rules& rules,
                                             scratch& memory) noexcept;

/// The bounds of a regular expression: its literal prefix, or all strings; and the expression
/// itself, as a value. Between SERVER-65260 (January 2024) and SERVER-91616 (June 2024),
/// mongos's sources had no bounds for an expression without a literal prefix. 8.0 has the
/// latter: explain replies of 8.0.1 and later have its parameter
/// internalQueryPlannerIgnoreIndexWithCollationForRegex (mongo: explain_common.cpp at dfd28ec).
[[nodiscard]] field_bounds matching_regex(const regex_parts& regex, const field_rules& rules,
                                          scratch& memory) noexcept;

/// The bounds of `{$exists: exists}`.
[[nodiscard]] field_bounds existing(bool exists, const field_rules& rules,
                                    scratch& memory) noexcept;

/// The bounds of `$mod`: all numbers.
[[nodiscard]] field_bounds any_number(const field_rules& rules, scratch& memory) noexcept;

/// The bounds of the negation of `bounds`; full bounds if the field is hashed, `bounds` isn't
/// invertible, or the scratch memory is exhausted.
[[nodiscard]] field_bounds negated(const field_bounds& bounds, const field_rules& rules,
                                   scratch& memory) noexcept;

/// Encodes a value for a key field; if the field is hashed, encodes the value's hash. Empty if
/// the value is corrupt, or the scratch memory or work budget is exhausted.
[[nodiscard]] bytes_view encode_for(const wire::element& value, bool hashed,
                                    scratch& memory) noexcept;

/// The bounds (ranges of values) of a `$type` on a key field: all values of the types that the
/// operand `types` names. REQUIRES: fault_of_type() returns `none` for the operand.
[[nodiscard]] field_bounds of_type(const wire::element& types, const field_rules& rules,
                                   scratch& memory) noexcept;
/// Why mongos rejects the operand of a `$type`, or why the operand can't be read; `none` if it
/// is valid.
[[nodiscard]] filter_fault fault_of_type(const wire::element& types,
                                         wire::work_budget& work) noexcept;

}  // namespace scattergate::routing
