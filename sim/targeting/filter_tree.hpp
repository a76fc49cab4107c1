#pragma once

#include <string>
#include <vector>

#include "sim/query/expression.hpp"
#include "sim/targeting/targeting_rules.hpp"
#include "sim/values/value.hpp"

/// A filter as mongos holds it for targeting: parsed, simplified, sorted.
namespace scattergate::sim {

/// The kind of a part of a filter, in the order in which mongos sorts parts (mongo:
/// expression.h, MatchType).
enum class filter_kind {
  all_of,
  any_of,
  some_document,  ///< `$elemMatch` with a filter, whose paths continue this one's
  some_value,     ///< `$elemMatch` with operators, which have no path of their own
  size,
  equal,
  at_most,
  less,
  greater,
  at_least,
  regex,
  mod,
  exists,
  in,
  bits,
  negation,
  none_of,
  type,
  geo,
  expression,  ///< `$expr`: its parts are the conditions on single fields that mongos derives,
               ///< its operand is the expression
  other,       ///< `$where`, `$jsonSchema`, ...: the path is the operator
  always_false,
  always_true,
  near,
  text,
  equal_hash,        ///< `$expr` on the hash of the path's value, which replaces the `$expr`
  expression_equal,  ///< a part of `$expr`
  expression_at_most,
  expression_less,
  expression_greater,
  expression_at_least,
};

/// A part of a filter.
struct filter_node {
  filter_kind kind = filter_kind::all_of;
  std::string path{};
  value operand{};
  std::vector<filter_node> parts{};
  bool by_operator = false;  ///< an equality written as `{$eq: ...}`
};

/// The context that the meaning of a filter depends on.
struct filter_terms {
  variables names;  ///< for `$expr`
  targeting_rules rules = rules_of("8.0");
};

/// Converts a filter that a matcher has accepted, without changes.
[[nodiscard]] filter_node read_filter(const document& filter, const filter_terms& terms);

/// Simplifies a filter and sorts its parts (mongo: optimizeMatchExpression,
/// sortMatchExpressionTree).
[[nodiscard]] filter_node simplified(filter_node filter, const targeting_rules& rules);

/// Whether two filters are equivalent (mongo: MatchExpression::equivalent).
[[nodiscard]] bool is_equivalent(const filter_node& left, const filter_node& right);

/// Whether the kind is one of and, or, nor, not.
[[nodiscard]] bool is_logic(filter_kind kind) noexcept;

}  // namespace scattergate::sim
