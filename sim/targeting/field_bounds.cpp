#include "sim/targeting/field_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/targeting/regex_prefix.hpp"
#include "sim/values/compare.hpp"
#include "sim/values/key_hash.hpp"
#include "sim/values/value_predicate.hpp"

namespace scattergate::sim {
namespace {

bool is_comparison(filter_kind kind) {
  return (kind >= filter_kind::equal && kind <= filter_kind::at_least) ||
         kind >= filter_kind::expression_equal;
}

bool is_equality(filter_kind kind) {
  return kind == filter_kind::equal || kind == filter_kind::expression_equal;
}

const array& members_of(const filter_node& list) {
  static const array none;
  const auto* members = list.operand.as<array>();
  return members == nullptr ? none : *members;
}

template <typename Test>
bool any_member(const filter_node& list, Test test) {
  return std::ranges::any_of(members_of(list), test);
}

/// Whether a predicate compares with something that a collation affects.
bool compares_collated(const filter_node& predicate) {
  if (is_comparison(predicate.kind)) return is_collated(predicate.operand);
  if (predicate.kind == filter_kind::in) return any_member(predicate, is_collated);
  return std::ranges::any_of(predicate.parts, compares_collated);
}

bool is_regex(const value& operand) {
  return operand.is<regex>();
}

bool is_array(const value& operand) {
  return operand.is<array>();
}

/// Whether a negation of this kind of predicate has bounds (mongo 0016f69b4674:
/// planner_ixselect.cpp, isComparisonWithArrayPred).
bool can_be_inverted(const filter_node& predicate) {
  if (is_comparison(predicate.kind)) return !is_array(predicate.operand);
  switch (predicate.kind) {
    case filter_kind::regex:
    case filter_kind::mod:
    case filter_kind::type:
    case filter_kind::some_value:
    case filter_kind::equal_hash:
      return false;
    case filter_kind::in:
      return !any_member(predicate, is_array) && !any_member(predicate, is_regex);
    default:
      return true;
  }
}

bool can_bound_hashed(const filter_node& predicate) {
  if (predicate.kind == filter_kind::in) return !any_member(predicate, is_regex);
  if (predicate.kind == filter_kind::negation) {
    return predicate.parts.front().kind == filter_kind::exists;
  }
  return is_equality(predicate.kind) || predicate.kind == filter_kind::exists ||
         predicate.kind == filter_kind::equal_hash;
}

/// The kinds that bound a field by themselves.
bool is_plain_bounding(filter_kind kind) {
  switch (kind) {
    case filter_kind::regex:
    case filter_kind::mod:
    case filter_kind::exists:
    case filter_kind::in:
    case filter_kind::type:
    case filter_kind::equal_hash:
      return true;
    default:
      return is_comparison(kind);
  }
}

value_set point_of(const value& operand, bool is_hashed) {
  return value_set::point(is_hashed ? value{key_hash(operand)} : operand);
}

/// Null also matches missing fields, and undefined in old documents. An array matches by itself
/// and by its first member, neither of them hashed.
value_set for_equality(const value& operand, bool is_hashed, const targeting_rules& rules) {
  if (operand.is<null>() && !rules.has_no_undefined) {
    return point_of(undefined{}, is_hashed).or_else(point_of(null{}, is_hashed));
  }
  const auto* members = operand.as<array>();
  if (members == nullptr) return point_of(operand, is_hashed);
  const value first = members->empty() ? value{undefined{}} : members->front();
  return value_set::point(operand).or_else(value_set::point(first));
}

bool is_nan(const value& operand) {
  return operand.is_number() && std::isnan(operand.as_double());
}

/// An array compares as a whole, or by its first member: the bounds cover both.
value_set for_array_comparison(bool is_below, const value& operand) {
  const array& members = *operand.as<array>();
  const value first = members.empty() ? value{undefined{}} : members.front();
  const bool is_higher = compare(first, operand) > 0;
  if (is_below) return value_set::between({min_key{}, is_higher ? first : operand});
  return value_set::between({is_higher ? operand : first, max_key{}});
}

/// A comparison covers only the type of its operand, except for MinKey and MaxKey.
value_set for_comparison(filter_kind kind, const value& operand, const targeting_rules& rules) {
  const bool has_end = kind == filter_kind::at_most || kind == filter_kind::at_least;
  const bool is_below = kind == filter_kind::at_most || kind == filter_kind::less;
  if (is_below ? operand.is<max_key>() : operand.is<min_key>()) {
    if (has_end || !rules.excludes_ends) return value_set::everything();
    return value_set::between({min_key{}, max_key{}, is_below, !is_below});
  }
  if (operand.is<array>()) return for_array_comparison(is_below, operand);
  // mongo: makeNullEqualityBounds.
  if (operand.is<null>() && has_end) return for_equality(operand, false, rules);
  if (is_nan(operand)) return has_end ? value_set::point(operand) : value_set::nothing();
  value lowest = min_key{};
  if (operand.is_number()) lowest = -std::numeric_limits<double>::infinity();
  return value_set::bracket(operand.type())
      .and_also(value_set::between(is_below ? interval{lowest, operand, true, has_end}
                                            : interval{operand, max_key{}, has_end, true}));
}

/// Comparisons of `$expr` cover all types. A missing field, which is stored as null, is less
/// than null (mongo a9a9338beb33: index_bounds_builder.cpp, INTERNAL_EXPR_LT).
value_set for_expression(filter_kind kind, const value& operand) {
  switch (kind) {
    case filter_kind::expression_less:
      return value_set::between({min_key{}, operand, true, operand.is<null>()});
    case filter_kind::expression_at_most:
      return value_set::between({min_key{}, operand});
    case filter_kind::expression_greater:
      return value_set::between({operand, max_key{}, false, true});
    default:
      return value_set::between({operand, max_key{}});
  }
}

value_set for_regex(const regex& pattern) {
  const value_set same = value_set::point(pattern);
  std::string prefix = literal_prefix(pattern);
  std::string after = prefix;
  while (!after.empty() && static_cast<unsigned char>(after.back()) == 0xff) after.pop_back();
  if (after.empty()) return value_set::bracket(bson_type::string).or_else(same);
  after.back() = static_cast<char>(static_cast<unsigned char>(after.back()) + 1);
  return value_set::between({std::move(prefix), std::move(after), true, false}).or_else(same);
}

value_set for_list(const filter_node& list, bool is_hashed, const targeting_rules& rules) {
  std::vector<interval> all;
  all.reserve(members_of(list).size());
  for (const value& each : members_of(list)) {
    if (is_regex(each) || is_array(each) || each.is<null>() || is_hashed) {
      const value_set one =
          is_regex(each) ? for_regex(*each.as<regex>()) : for_equality(each, is_hashed, rules);
      all.insert(all.end(), one.parts().begin(), one.parts().end());
    } else {
      all.push_back({each, each});
    }
  }
  return value_set::any_of(std::move(all));
}

value_set for_types(const value& operand) {
  value_set out = value_set::nothing();
  for (const bson_type each : types_of(operand)) {
    if (each == bson_type::array) return value_set::everything();
    out = out.or_else(value_set::bracket(each));
  }
  return out;
}

value_set for_negation(const filter_node& part, const shard_key::part& of,
                       const targeting_rules& rules) {
  if (part.kind == filter_kind::exists) return point_of(null{}, of.is_hashed);
  return bounds_of(part, of, rules).inverse();
}

}  // namespace

bool is_collated(const value& operand) {
  return operand.is<std::string>() || operand.is<document>() || operand.is<array>();
}

bool is_bounding(const filter_node& predicate) {
  if (predicate.kind == filter_kind::negation) {
    const filter_node& inner = predicate.parts.front();
    return inner.kind != filter_kind::negation && is_bounding(inner);
  }
  if (predicate.kind != filter_kind::some_value) return is_plain_bounding(predicate.kind);
  return std::ranges::all_of(predicate.parts, [](const filter_node& each) {
    if (each.kind != filter_kind::negation) return is_plain_bounding(each.kind);
    const filter_node& inner = each.parts.front();
    return is_plain_bounding(inner.kind) && can_be_inverted(inner);
  });
}

bool can_bound(const filter_node& predicate, const shard_key::part& part,
               bool compares_simply) {
  if (!compares_simply && compares_collated(predicate)) return false;
  if (part.is_hashed) return can_bound_hashed(predicate);
  if (predicate.kind == filter_kind::negation) return can_be_inverted(predicate.parts.front());
  if (predicate.kind == filter_kind::equal_hash) return false;
  return predicate.kind != filter_kind::some_value ||
         std::ranges::all_of(predicate.parts, [&](const filter_node& each) {
           return can_bound(each, part, compares_simply);
         });
}

value_set bounds_of(const filter_node& predicate, const shard_key::part& part,
                    const targeting_rules& rules) {
  switch (predicate.kind) {
    case filter_kind::equal:
    case filter_kind::expression_equal:
      return for_equality(predicate.operand, part.is_hashed, rules);
    case filter_kind::in:
      return for_list(predicate, part.is_hashed, rules);
    case filter_kind::negation:
      return for_negation(predicate.parts.front(), part, rules);
    case filter_kind::regex:
      return for_regex(*predicate.operand.as<regex>());
    case filter_kind::mod:
      return value_set::bracket(bson_type::int32);
    case filter_kind::type:
      return for_types(predicate.operand);
    case filter_kind::some_value: {
      value_set out = value_set::everything();
      for (const filter_node& each : predicate.parts) {
        out = out.and_also(bounds_of(each, part, rules));
      }
      return out;
    }
    case filter_kind::at_most:
    case filter_kind::less:
    case filter_kind::greater:
    case filter_kind::at_least:
      return for_comparison(predicate.kind, predicate.operand, rules);
    case filter_kind::exists:
      return value_set::everything();
    case filter_kind::equal_hash:
      return value_set::point(predicate.operand);
    default:
      return for_expression(predicate.kind, predicate.operand);
  }
}

}  // namespace scattergate::sim
