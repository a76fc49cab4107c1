#pragma once

#include <memory>

#include "sim/query/expression.hpp"
#include "sim/values/value.hpp"

namespace scattergate::sim {

/// One condition of a parsed filter, on a whole document. Thread-safety: immutable.
class condition {
 public:
  virtual ~condition() = default;
  [[nodiscard]] virtual bool matches(const document& candidate) const = 0;
};

/// A filter, parsed once: comparisons, logic, arrays, `$type`, `$exists`, `$regex`, `$mod`,
/// `$size`, `$expr`. Other operators are an error, as unknown ones are in MongoDB.
/// Thread-safety: immutable.
class matcher {
 public:
  /// `names` are the variables for `$expr`. Throws command_failure (bad_value and others) if
  /// MongoDB would reject the filter.
  explicit matcher(const document& filter, const variables& names = {});

  [[nodiscard]] bool matches(const document& candidate) const;

 private:
  std::shared_ptr<const condition> root_;
};

/// Whether a field's filter is a document of operators rather than a value to equal.
[[nodiscard]] bool is_operator_document(const value& operand) noexcept;

}  // namespace scattergate::sim
