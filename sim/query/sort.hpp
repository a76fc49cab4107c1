#pragma once

#include <string>
#include <vector>

#include "sim/values/value.hpp"

namespace scattergate::sim {

/// A parsed sort specification, such as {a: 1, "b.c": -1}. Thread-safety: immutable.
class sort_order {
 public:
  /// Parses a sort specification. Throws command_failure (bad_value) if a direction isn't 1 or
  /// -1.
  explicit sort_order(const document& specification);

  /// Whether the specification names no fields.
  [[nodiscard]] bool is_empty() const noexcept { return parts_.empty(); }

  /// Sorts documents, stably. An array sorts by its least member in ascending order, and by
  /// its greatest member in descending order. An empty array sorts as undefined, a missing
  /// field as null.
  void apply(std::vector<document_ptr>& documents) const;

 private:
  struct part {
    std::vector<std::string> path;
    bool ascending = true;
  };
  [[nodiscard]] array key_of(const document& candidate) const;
  [[nodiscard]] bool is_before(const array& left, const array& right) const;

  std::vector<part> parts_;
};

}  // namespace scattergate::sim
