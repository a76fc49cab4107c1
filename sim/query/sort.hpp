#pragma once

#include <string>
#include <vector>

#include "sim/values/value.hpp"

namespace scattergate::sim {

/// A sort specification, parsed once.
/// Thread-safety: immutable.
class sort_order {
 public:
  /// Throws command_failure (bad_value) for directions other than 1 and -1.
  explicit sort_order(const document& specification);

  [[nodiscard]] bool is_empty() const noexcept { return parts_.empty(); }

  /// Sorts stably. An array sorts by its least member ascending, its greatest descending.
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
