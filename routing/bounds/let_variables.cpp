#include "routing/bounds/let_variables.hpp"

#include "wire/work_budget.hpp"

namespace scattergate::routing {

let_variables::let_variables(wire::document_view let, bool is_constant,
                             scratch& memory) noexcept
    : is_constant_(is_constant) {
  wire::work_budget& work = memory.work();
  const std::size_t count = wire::count_fields(let, work).value_or(0);
  if (count == 0 || !names_.open(count, memory)) return;
  values_ = memory.allocate<wire::element>(count);
  if (values_.empty()) return;
  wire::metered_reader reader{let, work};
  for (wire::element variable; reader.next(variable);) {
    const std::size_t known = names_.size();
    const auto id = names_.add(name_table::none, variable.key(), work);
    if (names_.size() > known) values_[id - 1] = variable;
  }
}

std::optional<wire::element> let_variables::find(std::string_view name,
                                                 wire::work_budget& work) const noexcept {
  if (values_.empty()) return std::nullopt;
  const auto id = names_.find(name_table::none, name, work);
  if (id == name_table::none) return std::nullopt;
  return values_[id - 1];
}

}  // namespace scattergate::routing
