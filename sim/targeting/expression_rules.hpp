#pragma once

#include <optional>
#include <set>
#include <string>

#include "sim/targeting/filter_tree.hpp"
#include "sim/values/value.hpp"

namespace scattergate::sim {

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
