#pragma once

#include <memory>

#include "sim/query/expression.hpp"
#include "sim/values/value.hpp"

namespace scattergate::sim {

/// A condition of a parsed filter; matches whole documents. Thread-safety: immutable.
class condition {
 public:
  virtual ~condition() = default;
  [[nodiscard]] virtual bool matches(const document& candidate) const = 0;
};

/// A parsed filter. Supports comparisons, logical operators, arrays, `$type`, `$exists`,
/// `$regex`, `$mod`, `$size`, `$expr` and `$sampleRate`. Any other operator is an error, as an
/// unknown one is in MongoDB. Thread-safety: immutable.
class matcher {
 public:
  /// Parses a filter. `names`: the variables that `$expr` may use. Throws command_failure
  /// (bad_value and others) if MongoDB would reject the filter.
  explicit matcher(const document& filter, const variables& names = {});

  /// Whether the document matches the filter.
  [[nodiscard]] bool matches(const document& candidate) const;

 private:
  std::shared_ptr<const condition> root_;
};

/// Whether the operand for a field is a document of operators, {a: {$gt: 5}}, not a value to
/// equal.
[[nodiscard]] bool is_operator_document(const value& operand) noexcept;

}  // namespace scattergate::sim
