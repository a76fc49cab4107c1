#pragma once

#include <span>

#include "routing/bounds/match_operator.hpp"
#include "routing/bounds/regex_prefix.hpp"
#include "routing/catalog/catalog.hpp"
#include "routing/keys/interval.hpp"
#include "routing/verdict.hpp"
#include "wire/bson.hpp"

/// The bounds of a key field by one comparison with one value (mongo:
/// query/index_bounds_builder.cpp).
namespace scattergate::routing {

/// The properties of the key field and of the version that determine bounds.
struct field_rules {
  bool hashed = false;
  bool simple_collation = true;
  bool null_means_undefined = false;   ///< before 8.0 an equality with null also matches
                                       ///< undefined
  bool is_before_5_0 = false;          ///< MinKey isn't less than anything
  bool bounds_hashes_exactly = false;  ///< an array on a hashed field is found by its values
};

/// Whether hashed fields are targeted as in 4.4. Also true for the pre-release 5.0 that was
/// recorded (tests/real). For later patch levels this isn't known; they get the wider answer.
[[nodiscard]] constexpr bool is_like_4_4(server_version version) noexcept {
  return version.precedes({5, 0, 1});
}

/// Whether conditions on a hashed field intersect as on any other field, and an array bounds
/// the field by itself and by its first member, both unhashed. Recorded from 4.4 and 5.0.0, and
/// read in the sources of 8.2 (mongo: planner_access.cpp at 0016f69, mergeWithLeafNode;
/// index_bounds_builder.cpp at 05bb7a0, translateEquality). For versions in between this isn't
/// known; they get the wider answer.
[[nodiscard]] constexpr bool bounds_hashes_exactly(server_version version) noexcept {
  return is_like_4_4(version) || version >= server_version{8, 2};
}

/// The bounds that a predicate implies for one key field.
struct field_bounds {
  interval_set set = interval_set::full();
  reason cause = reason::none;  ///< why `set` is full, if it is (unreadable: corrupt BSON)
  bool invertible = true;       ///< the complement of `set` bounds the negation
  bool is_complement = false;   ///< made from a negation
  bool uses_index = true;       ///< an index on the field could support it, however wide
  bool is_unplaced = false;     ///< it bounds a hashed field to values that aren't known

  /// Full bounds, because of `cause`; no index supports the predicate.
  [[nodiscard]] static field_bounds nothing_known(reason cause) noexcept {
    return {interval_set::full(), cause, false, false, false};
  }
  /// Full bounds of a hashed field, because its values aren't known.
  [[nodiscard]] static field_bounds unplaced() noexcept {
    return {interval_set::full(), reason::not_indexable, false, false, false, true};
  }
};

/// Whether a collation affects comparisons of values of this type (mongo: CollationIndexKey).
[[nodiscard]] bool is_collatable(wire::bson_type type) noexcept;

/// The bounds of an equality.
[[nodiscard]] field_bounds equal_to(const wire::element& value, const field_rules& rules,
                                    scratch& memory) noexcept;

/// The bounds of an equality of the field's hash: nothing for a field that isn't hashed (mongo:
/// matcher/expression_internal_eq_hashed_key.h at 1c287af; query/index_bounds_builder.cpp,
/// INTERNAL_EQ_HASHED_KEY).
[[nodiscard]] field_bounds hashing_to(const wire::element& hash, const field_rules& rules,
                                      scratch& memory) noexcept;

/// The bounds of `$gt`, `$gte`, `$lt` or `$lte`. `bracketed`: only values of the operand's type
/// match, as outside of $expr.
[[nodiscard]] field_bounds compared_to(field_operator op, const wire::element& value,
                                       bool bracketed, const field_rules& rules,
                                       scratch& memory) noexcept;

/// Whether the comparison excludes only MaxKey, or only MinKey: `$lt` MaxKey, `$gt` MinKey.
[[nodiscard]] bool is_short_of_end(field_operator op, const wire::element& operand) noexcept;

/// The bounds of the negation of a comparison for which is_short_of_end() is true: its
/// operand, which 4.4 ignores (mongo: index_bounds_builder.cpp, LT and GT:
/// allValuesRespectingInclusion; in 4.4 planner_ixselect.cpp, isGTMinKey).
[[nodiscard]] field_bounds at_end_alone(const wire::element& operand, const field_rules& rules,
                                        scratch& memory) noexcept;

/// The bounds of a comparison, across all types, with an unknown date.
[[nodiscard]] field_bounds with_unknown_date(field_operator op, const field_rules& rules,
                                             scratch& memory) noexcept;

/// The bounds of a regular expression.
[[nodiscard]] field_bounds matching_regex(const regex_parts& regex, const field_rules& rules,
                                          scratch& memory) noexcept;

/// The bounds of `$exists`.
[[nodiscard]] field_bounds existing(bool exists, const field_rules& rules,
                                    scratch& memory) noexcept;

/// The bounds of `$mod`: all numbers.
[[nodiscard]] field_bounds any_number(const field_rules& rules, scratch& memory) noexcept;

/// The bounds of the negation of `bounds`.
[[nodiscard]] field_bounds negated(const field_bounds& bounds, const field_rules& rules,
                                   scratch& memory) noexcept;

/// Encodes a value for a key field; for a hashed field, its hash. Empty if the value is corrupt
/// or the scratch memory is exhausted.
[[nodiscard]] bytes_view encode_for(const wire::element& value, bool hashed,
                                    scratch& memory) noexcept;

}  // namespace scattergate::routing
