#pragma once

#include <optional>
#include <string>

#include "sim/targeting/filter_tree.hpp"
#include "sim/values/value.hpp"

namespace scattergate::sim {

/// What an `$expr` says about single fields, as far as mongos can tell; nothing where it can't
/// (mongo: rewrite_expr.cpp).
[[nodiscard]] std::optional<filter_node> rule_of_expression(const value& expression,
                                                            const filter_terms& terms);

/// The value of an expression that looks at no document.
[[nodiscard]] outcome constant_of(const value& expression, const variables& names);

/// The path of "$a.b" or "$$ROOT.a.b"; empty for anything else.
[[nodiscard]] std::string path_of_field(const value& expression);

}  // namespace scattergate::sim
