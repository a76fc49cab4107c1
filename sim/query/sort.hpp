#pragma once

#include <string>
#include <vector>

#include "sim/values/value.hpp"

namespace scattergate::sim {

/// A parsed sort specification. Thread-safety: immutable.
class sort_order {
 public:
  /// Parses a sort specification. Throws command_failure (bad_value) if a direction isn't 1 or
  /// -1.
  explicit sort_order(const document& specification);

  [[nodiscard]] bool is_empty() const noexcept { return parts_.empty(); }

  /// Sorts documents, stably. An array sorts by its least member if ascending, by its greatest
  /// if descending.
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
