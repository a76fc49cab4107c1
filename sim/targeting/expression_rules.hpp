#pragma once

#include <optional>
#include <set>
#include <string>

#include "sim/targeting/filter_tree.hpp"
#include "sim/values/value.hpp"

namespace scattergate::sim {

/// The conditions of an `$expr` on single fields, as far as mongos derives them; std::nullopt
/// if it derives none (mongo: rewrite_expr.cpp).
[[nodiscard]] std::optional<filter_node> rule_of_expression(const value& expression,
                                                            const filter_terms& terms);

/// The condition of a whole `$expr` on the hash of a field: `{$eq: [{$toHashedIndexKey:
/// "$path"}, NumberLong]}`, in this order (mongo: expression_expr.cpp, attemptToRewriteEqHash).
[[nodiscard]] std::optional<filter_node> rule_of_hash(const value& expression,
                                                      const filter_terms& terms);

/// The value of an expression that reads no document.
[[nodiscard]] outcome constant_of(const value& expression, const filter_terms& terms);

/// The paths that an expression reads; std::nullopt if it reads the whole document, or isn't
/// deterministic.
[[nodiscard]] std::optional<std::set<std::string>> paths_of_expression(const value& expression);

/// The path of "$a.b" or "$$ROOT.a.b"; empty for anything else.
[[nodiscard]] std::string path_of_field(const value& expression);

}  // namespace scattergate::sim
