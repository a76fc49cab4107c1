#pragma once

#include <functional>

#include "sim/query/expression.hpp"
#include "sim/values/value.hpp"

namespace scattergate::sim {

/// A parsed filter. Supports comparisons, logical operators, arrays, `$type`, `$exists`,
/// `$regex`, `$mod`, `$size`, bits, `$expr` and `$sampleRate`. Rejects any other operator, as
/// MongoDB rejects unknown operators. Thread-safety: immutable.
class matcher {
 public:
  /// Parses a filter. `names`: the variables that `$expr` may use. Throws command_failure
  /// (bad_value and others) if MongoDB would reject the filter.
  explicit matcher(const document& filter, const variables& names = {});

  /// Whether the document matches the filter.
  [[nodiscard]] bool matches(const document& candidate) const { return matches_(candidate); }

 private:
  std::function<bool(const document&)> matches_;
};

/// Whether a field's operand in a filter is a document of operators, as in {a: {$gt: 5}}.
/// Otherwise the field must equal the operand.
[[nodiscard]] bool is_operator_document(const value& operand) noexcept;

}  // namespace scattergate::sim
