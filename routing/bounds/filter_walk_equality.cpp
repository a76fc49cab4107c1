// The part of filter_walk that reads equalities, which may pin the full key.

#include "routing/bounds/document_path.hpp"
#include "routing/bounds/filter_walk.hpp"

namespace scattergate::routing {

using wire::bson_type;
using wire::element;

bool filter_walk::equality(const match_path& path, const element& value,
                           const place& at) noexcept {
  if (value.type() == bson_type::undefined) return fail(filter_fault::refused);
  note(path.name, at.negated);
  const bool is_whole = at.may_pin && path.outer == nullptr;
  const bool is_plain = value.type() != bson_type::regex && !value.is_array();
  const bool is_id = is_whole && path.name == "_id";
  if (is_id) note_id(value, is_plain);
  if (is_whole && path.name.starts_with("_id.")) {
    // mongo: update/path_support.cpp, extractFullEqualityMatches, NotExactValueField.
    facts_.ids_differ = true;
    facts_.id.reset();
  }
  if (!is_id || !is_plain) ++facts_.other_predicates;
  if (path.outer != nullptr && !path.outer->reaches_key) return true;
  std::string_view rest;
  for (std::size_t i = 0; i < target_.key.size(); ++i) {
    switch (relate(path, target_.key[i].path, rest)) {
      case path_relation::apart:
        break;
      case path_relation::below:
        pins_.spoiled |= is_whole;
        break;
      case path_relation::same:
        if (is_whole && !at.negated) {
          pin(i, value, false, at);
        } else {
          bound(i, equal_to(value, rules_of(i), memory_), at);
        }
        break;
      case path_relation::above:
        if (is_whole && value.is_document()) {
          if (const auto inner = find_path(*value.as_document(), rest, work_)) {
            pin(i, *inner, true, at);
          }
        }
        break;
    }
  }
  return true;
}

/// A second equality leaves none, even where it says the same (mongo: update/path_support.cpp,
/// checkEqualityConflicts: the path is matched twice). So 4.4 and 5.0.0 do it; of later
/// versions that isn't known for certain, and an _id that is sent has the wider answer.
void filter_walk::note_id(const element& value, bool is_plain) noexcept {
  work_.charge(value.value().size() / 16);
  const bool may_repeat = !rules_.version.precedes({5, 0, 1});
  const bool repeats = may_repeat && is_plain && facts_.id && same_value(*facts_.id, value);
  facts_.ids_differ |= facts_.has_id && !repeats;
  facts_.has_id = true;
  if (facts_.ids_differ) {
    facts_.id.reset();
  } else if (is_plain) {
    facts_.id = value;
  }
}

/// Notes an equality that holds for the whole filter; a second one on the same field that
/// differs leaves both to the bounds.
void filter_walk::pin(std::size_t field, const element& value, bool from_parent,
                      const place& at) noexcept {
  if (!pins_.pinned.contains(field)) {
    pins_.pinned.insert(field);
    if (from_parent) pins_.from_parent.insert(field);
    pins_.values[field] = value;
    if (!from_parent) at.bounds.named.insert(field);
    return;
  }
  const element& known = pins_.values[field];
  work_.charge(value.value().size() / 16);
  const bool is_same = same_value(known, value);
  if (is_same && may_simplify()) {
    pins_.repeated = true;
    return;
  }
  pins_.spoiled = true;
  if (is_same) return;
  if (from_parent) return;
  if (pins_.from_parent.contains(field)) {  // the field's own equality bounds it
    pins_.from_parent.erase(field);
    pins_.values[field] = value;
    return;
  }
  bound(field, equal_to(value, rules_of(field), memory_), at);
}

}  // namespace scattergate::routing
