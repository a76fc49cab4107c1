#pragma once

#include <string>
#include <vector>

#include "sim/query/expression.hpp"
#include "sim/values/value.hpp"

/// A filter as mongos holds it while it looks for the shards to ask: read, simplified, sorted.
namespace scattergate::sim {

/// What a part of a filter is, in the order in which mongos sorts parts (mongo: expression.h,
/// MatchType).
enum class filter_kind {
  all_of,
  any_of,
  some_document,  ///< `$elemMatch` of a filter: its paths go on from this one's
  some_value,     ///< `$elemMatch` of operators, which have no path of their own
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
  expression,  ///< `$expr`: its parts are what it says about single fields, where mongos can
               ///< tell
  other,       ///< `$where`, `$jsonSchema`, ...
  always_false,
  always_true,
  near,
  text,
  expression_equal,  ///< a part of `$expr`
  expression_at_most,
  expression_less,
  expression_greater,
  expression_at_least,
};

/// One part of a filter.
struct filter_node {
  filter_kind kind = filter_kind::all_of;
  std::string path{};
  value operand{};
  std::vector<filter_node> parts{};
};

/// What the meaning of a filter depends on.
struct filter_terms {
  variables names;              ///< that `$expr` may use
  bool bounds_by_order = true;  ///< since 5.0 `$expr` bounds by `$gt` and its kin too
};

/// Reads a filter, which a matcher has accepted, as it stands.
[[nodiscard]] filter_node read_filter(const document& filter, const filter_terms& terms);

/// Simplifies a filter and sorts its parts (mongo: MatchExpression::optimize,
/// CanonicalQuery::sortTree).
[[nodiscard]] filter_node simplified(filter_node filter);

/// Whether the kind is one of and, or, nor, not.
[[nodiscard]] bool is_logic(filter_kind kind) noexcept;

}  // namespace scattergate::sim
