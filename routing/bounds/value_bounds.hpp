#pragma once

#include <span>

#include "routing/bounds/match_operator.hpp"
#include "routing/bounds/regex_prefix.hpp"
#include "routing/catalog/catalog.hpp"
#include "routing/keys/interval.hpp"
#include "routing/verdict.hpp"
#include "wire/bson.hpp"

/// What one comparison with one value bounds a key field to (mongo:
/// query/index_bounds_builder.cpp).
namespace scattergate::routing {

/// The key field that is bounded, and under which rules.
struct field_rules {
  bool hashed = false;
  bool simple_collation = true;
  bool null_means_undefined = false;   ///< before 8.0 an equality with null asks for both
  bool is_before_5_0 = false;          ///< MinKey isn't below anything
  bool bounds_hashes_exactly = false;  ///< an array on a hashed field is found by its values
};

/// Whether hashed fields are looked at as in 4.4: as a 5.0 does that was recorded before its
/// first release (tests/real). Of later patch levels that isn't known; theirs is the wider
/// answer.
[[nodiscard]] constexpr bool is_like_4_4(server_version version) noexcept {
  return version.precedes({5, 0, 1});
}

/// Whether conditions on a hashed field intersect as those on any other, and an array bounds it
/// by itself and by its first member, neither of them hashed. So it was recorded of 4.4 and
/// 5.0.0, and so it is read in 8.2 (mongo: planner_access.cpp at 0016f69, mergeWithLeafNode;
/// index_bounds_builder.cpp at 05bb7a0, translateEquality). In between: the wider answer.
[[nodiscard]] constexpr bool bounds_hashes_exactly(server_version version) noexcept {
  return is_like_4_4(version) || version >= server_version{8, 2};
}

/// What a predicate makes of one key field.
struct field_bounds {
  interval_set set = interval_set::full();
  reason cause = reason::none;  ///< where it bounds nothing: why (unreadable: corrupt)
  bool invertible = true;       ///< the complement of `set` is what its negation bounds
  bool is_complement = false;   ///< made of a negation
  bool uses_index = true;       ///< an index on the field could answer it, however wide
  bool is_unplaced = false;     ///< it bounds a hashed field to who knows what

  [[nodiscard]] static field_bounds nothing_known(reason cause) noexcept {
    return {interval_set::full(), cause, false, false, false};
  }
  [[nodiscard]] static field_bounds unplaced() noexcept {
    return {interval_set::full(), reason::not_indexable, false, false, false, true};
  }
};

/// Whether a non-simple collation changes what equals `type` (mongo: CollationIndexKey).
[[nodiscard]] bool is_collatable(wire::bson_type type) noexcept;

[[nodiscard]] field_bounds equal_to(const wire::element& value, const field_rules& rules,
                                    scratch& memory) noexcept;

/// `$gt`, `$gte`, `$lt`, `$lte`; `bracketed`: only values of the operand's type (not so in
/// $expr).
[[nodiscard]] field_bounds compared_to(field_operator op, const wire::element& value,
                                       bool bracketed, const field_rules& rules,
                                       scratch& memory) noexcept;

/// The same, without regard to types, for a date that isn't known.
[[nodiscard]] field_bounds beside_some_date(field_operator op, const field_rules& rules,
                                            scratch& memory) noexcept;

[[nodiscard]] field_bounds matching_regex(const regex_parts& regex, const field_rules& rules,
                                          scratch& memory) noexcept;

/// `$exists`.
[[nodiscard]] field_bounds existing(bool exists, const field_rules& rules,
                                    scratch& memory) noexcept;

/// `$mod`: the numbers.
[[nodiscard]] field_bounds any_number(const field_rules& rules, scratch& memory) noexcept;

/// The negation of `bounds`.
[[nodiscard]] field_bounds negated(const field_bounds& bounds, const field_rules& rules,
                                   scratch& memory) noexcept;

/// The point that a hashed field's value stands at: its hash, encoded. Empty where the value
/// is corrupt or the scratch exhausted.
[[nodiscard]] bytes_view encode_for(const wire::element& value, bool hashed,
                                    scratch& memory) noexcept;

}  // namespace scattergate::routing
