#pragma once

#include <optional>

#include "routing/bounds/name_table.hpp"
#include "wire/bson.hpp"

namespace scattergate::routing {

/// The variables of a `let`, found by their names.
/// Thread-safety: as the scratch.
class let_variables {
 public:
  /// None at all.
  let_variables() = default;

  /// `is_constant` is false where they differ from document to document. Where the scratch is
  /// exhausted none is known.
  let_variables(wire::document_view let, bool is_constant, scratch& memory) noexcept;

  /// What the variable stands for; the first where there are several of one name.
  [[nodiscard]] std::optional<wire::element> find(std::string_view name,
                                                  wire::work_budget& work) const noexcept;

  [[nodiscard]] bool are_constant() const noexcept { return is_constant_; }

 private:
  name_table names_;
  std::span<wire::element> values_;
  bool is_constant_ = true;
};

}  // namespace scattergate::routing
