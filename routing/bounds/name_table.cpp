#include "routing/bounds/name_table.hpp"

#include <algorithm>
#include <bit>

#include "wire/seeded_hash.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::routing {

bool name_table::open(std::size_t names, scratch& memory) noexcept {
  size_ = 0;
  entries_ = memory.allocate<entry>(names);
  slots_ = memory.allocate<id>(std::bit_ceil(2 * names + 1));
  if (entries_.size() != names || slots_.empty()) {
    slots_ = {};
    return false;
  }
  memory.work().charge(slots_.size());
  std::ranges::fill(slots_, none);
  return true;
}

/// The slot of a name; if the table doesn't contain it, the free slot to use for it.
std::size_t name_table::slot_of(id parent, std::string_view name,
                                wire::work_budget& work) const noexcept {
  work.charge(look_up_units + name.size() / 4);
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = wire::seeded_hash(name, parent) & mask;
  for (; slots_[slot] != none; slot = (slot + 1) & mask) {
    const entry& there = entries_[slots_[slot] - 1];
    if (there.parent == parent && there.name == name) break;
    work.charge(1);
  }
  return slot;
}

name_table::id name_table::add(id parent, std::string_view name,
                               wire::work_budget& work) noexcept {
  if (slots_.empty()) return none;
  const std::size_t slot = slot_of(parent, name, work);
  if (slots_[slot] != none) return slots_[slot];
  if (size_ == entries_.size()) return none;
  entries_[size_] = {name, parent};
  slots_[slot] = static_cast<id>(++size_);
  return slots_[slot];
}

name_table::id name_table::find(id parent, std::string_view name,
                                wire::work_budget& work) const noexcept {
  return slots_.empty() ? none : slots_[slot_of(parent, name, work)];
}

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
