#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/query/expression.hpp"
#include "sim/targeting/targeting_rules.hpp"
#include "sim/values/value.hpp"

/// A filter as a tree: parsed, simplified and sorted, as mongos does before it selects the
/// shards by the filter.
namespace scattergate::sim {

/// The kind of a part of a filter, in the order in which mongos sorts parts (mongo:
/// expression.h, MatchType).
enum class filter_kind {
  all_of,
  any_of,
  some_document,  ///< `$elemMatch` with a filter on documents in an array; the paths in `parts`
                  ///< are relative to `path`
  some_value,     ///< `$elemMatch` with operators on the values in an array
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
  expression,  ///< `$expr`: `operand` is the expression, `parts` are the conditions on single
               ///< fields that mongos derives
  other,       ///< `$where`, `$jsonSchema` and others: `path` is the operator's name
  always_false,
  always_true,
  equal_hash,        ///< a condition on the hash of the value at `path`; see rule_of_hash()
  expression_equal,  ///< the kinds expression_... are comparisons that come from an `$expr`
  expression_at_most,
  expression_less,
  expression_greater,
  expression_at_least,
};

/// A part of a filter: a predicate, such as `{a: 1}`, or a logical operator with its operands.
struct filter_node {
  filter_kind kind = filter_kind::all_of;
  std::string path{};                ///< the path that a predicate tests
  value operand{};                   ///< the operand of a predicate
  std::vector<filter_node> parts{};  ///< the parts of a logical operator, an `$elemMatch` or an
                                     ///< `$expr`
  bool by_operator = false;          ///< whether an equality was written as `{$eq: ...}`
};

/// The variables and rules that determine the meaning of a filter.
struct filter_terms {
  variables names;                          ///< the variables that `$expr` may use
  targeting_rules rules = rules_of("8.0");  ///< the rules of the simulated version
};

/// Parses a filter without simplifying it. REQUIRES: a matcher has accepted the filter.
[[nodiscard]] filter_node read_filter(const document& filter, const filter_terms& terms);

/// Simplifies a filter and sorts its parts, as mongos does (mongo: optimizeMatchExpression,
/// sortMatchExpressionTree).
[[nodiscard]] filter_node simplified(filter_node filter, const targeting_rules& rules);

/// Whether two filters are equivalent (mongo: MatchExpression::equivalent).
[[nodiscard]] bool is_equivalent(const filter_node& left, const filter_node& right);

/// Whether the kind is a logical operator: and, or, nor, not.
[[nodiscard]] bool is_logic(filter_kind kind) noexcept;

/// Returns the filter that mongos derives from an `$expr`: conditions on single fields, such as
/// "`a` equals 1" for {$eq: ["$a", 1]}. std::nullopt if it derives none (mongo:
/// rewrite_expr.cpp).
[[nodiscard]] std::optional<filter_node> rule_of_expression(const value& expression,
                                                            const filter_terms& terms);

/// Returns the condition on a field's hash that mongos derives from a whole `$expr`. The
/// expression must have the form `{$eq: [{$toHashedIndexKey: "$path"}, NumberLong]}`, with the
/// operands in this order. std::nullopt for any other expression (mongo: expression_expr.cpp,
/// attemptToRewriteEqHash).
[[nodiscard]] std::optional<filter_node> rule_of_hash(const value& expression,
                                                      const filter_terms& terms);

/// Returns the value of an expression that doesn't depend on the document. std::nullopt if the
/// expression depends on it, or if the result is missing.
[[nodiscard]] outcome constant_of(const value& expression, const filter_terms& terms);

/// The paths that an expression reads. std::nullopt if it reads the whole document or isn't
/// deterministic.
[[nodiscard]] std::optional<std::set<std::string>> paths_of_expression(const value& expression);

/// The path that an expression names: "a.b" for "$a.b" or "$$ROOT.a.b". Empty for any other
/// expression.
[[nodiscard]] std::string path_of_field(const value& expression);

}  // namespace scattergate::sim
