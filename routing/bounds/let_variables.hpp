#pragma once

#include <optional>

#include "routing/bounds/name_table.hpp"
#include "wire/bson.hpp"

namespace scattergate::routing {

/// Finds the variables of a command's or $lookup's `let` by name. Contains views into the
/// `let`. Thread-safety: one thread at a time.
class let_variables {
 public:
  /// Contains no variables.
  let_variables() = default;

  /// Reads the variables of `let`. `is_constant`: false if the variables' values differ between
  /// documents, as in a $lookup. If the scratch memory is exhausted, the object contains no
  /// variables.
  let_variables(wire::document_view let, bool is_constant, scratch& memory) noexcept;

  /// The value of the variable `name`; std::nullopt if there is no such variable. If `let` has
  /// the name several times, the first one counts.
  [[nodiscard]] std::optional<wire::element> find(std::string_view name,
                                                  wire::work_budget& work) const noexcept;

  /// Whether the values are the same for all documents.
  [[nodiscard]] bool are_constant() const noexcept { return is_constant_; }

 private:
  name_table names_;
  std::span<wire::element> values_;
  bool is_constant_ = true;
};

}  // namespace scattergate::routing
