#include "routing/bounds/filter_parts.hpp"
#include "routing/bounds/filter_walk.hpp"

namespace scattergate::routing {

bool key_pins::add(std::size_t field, const wire::element& value, bool is_from_parent,
                   bool merges, wire::work_budget& work) noexcept {
  is_void |= without_value.contains(field);
  if (!pinned.contains(field)) {
    pinned.insert(field);
    if (is_from_parent) from_parent.insert(field);
    values[field] = value;
    return false;
  }
  work.charge(value.value().size() / 16);
  const bool is_same = same_value(values[field], value);
  const bool is_alike = is_from_parent == from_parent.contains(field);
  if (is_same && is_alike && merges) {
    repeated = true;
    return false;
  }
  is_void = true;
  if (is_from_parent) return false;
  if (is_alike) return !is_same;
  from_parent.erase(field);  // the field's own equality bounds it
  values[field] = value;
  return false;
}

/// A second equality, even with the same value, means that mongos finds no _id (mongo:
/// update/path_support.cpp, checkEqualityConflicts: the path is matched twice; the same from
/// 5.0 to 8.0). From 7.2 on mongos may merge equal conditions first, so a repeated value still
/// counts, which gives the wider answer.
void filter_facts::note_id(const wire::element& value, bool is_plain, bool may_repeat,
                           wire::work_budget& work) noexcept {
  work.charge(value.value().size() / 16);
  const bool repeats = may_repeat && is_plain && id && same_value(*id, value);
  ids_differ |= has_id && !repeats;
  has_id = true;
  if (ids_differ) {
    id.reset();
  } else if (is_plain) {
    id = value;
  }
}

}  // namespace scattergate::routing
