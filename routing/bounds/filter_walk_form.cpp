// The part of filter_walk that learns in which form mongos plans the filter as a whole,
// from 8.0 on. What stands by itself reads alike in both forms; what denies more than one
// comparison waits until all that holds together is known.

#include <algorithm>

#include "routing/bounds/filter_walk.hpp"

namespace scattergate::routing {

using wire::element;

void filter_walk::remember(const conjunct& one) noexcept {
  const auto kept = memory_.take<conjunct>(1);
  if (kept.empty()) return;
  kept[0] = one;
  (last_conjunct_ != nullptr ? last_conjunct_->next : conjuncts_) = kept.data();
  has_tree_ |= last_conjunct_ != nullptr;
  last_conjunct_ = kept.data();
}

/// Whether a denial at `at` holds for the filter as a whole, and can't be read yet.
bool filter_walk::awaits_form(const match_path* outer, const place& at) const noexcept {
  return may_simplify() && !is_formed_ && outer == nullptr && elements_ == 0 &&
         at.unions != nullptr;
}

/// Where the scratch is exhausted it is forgotten, which only widens.
void filter_walk::postpone(const element& part, const match_path* path) noexcept {
  const auto kept = memory_.take<pending_denial>(1);
  const match_path* kept_path = path != nullptr ? keep(*path, memory_) : nullptr;
  if (kept.empty() || (path != nullptr && kept_path == nullptr)) return;
  kept[0] = {part, kept_path, denials_};
  denials_ = kept.data();
}

/// Notes a denial of one comparison at the top of the filter.
void filter_walk::note_denied(const match_path& path, const place& at) noexcept {
  if (!may_simplify() || is_formed_ || at.unions == nullptr) return;
  if (denied_count_ < denied_names_.size()) denied_names_[denied_count_] = path.name;
  ++denied_count_;
}

/// Whether the form changes anything.
bool filter_walk::needs_form() noexcept {
  if (is_formed_ || conjuncts_ == nullptr) return false;
  return denials_ != nullptr || may_contradict();
}

/// Whether the filter may hold a comparison and its denial.
bool filter_walk::may_contradict() noexcept {
  if (has_tree_) {
    for (const conjunct* one = conjuncts_; one != nullptr; one = one->next) {
      const bool denies =
          one->part ? may_deny_part(*one->part, work_) : may_deny(one->filter, work_);
      if (denies) return true;
    }
    return false;
  }
  if (denied_count_ > denied_names_.size()) return true;
  for (std::size_t i = 0; i < denied_count_; ++i) {
    if (count_fields_named(denied_names_[i]) > 1) return true;
  }
  return false;
}

/// Predicates on a field, where the filter has no inner filters.
std::size_t filter_walk::count_fields_named(std::string_view name) noexcept {
  std::size_t count = 0;
  for (const conjunct* one = conjuncts_; one != nullptr; one = one->next) {
    if (one->part) return 2;
    wire::metered_reader reader{one->filter, work_};
    for (element field; reader.next(field);) {
      if (field.key() != name) continue;
      const auto operators = field.as_document();
      count += operators ? wire::count_fields(*operators, work_).value_or(2) : 1;
    }
  }
  return count;
}

/// Learns the form, and reads what waited for it. False where that found a fault.
bool filter_walk::settle_form() noexcept {
  const bool matters = needs_form();
  is_formed_ = true;
  if (!matters) return true;
  form_ = form_of(conjuncts_, outlining(), rules_.simple_collation, memory_);
  if (form_ == boolean_form::nothing || form_ == boolean_form::unknown) {
    facts_.may_be_false = form_ == boolean_form::unknown;
    bounds_.is_false = true;
    pins_.spoiled = true;
    return true;
  }
  pins_.spoiled |= pins_.repeated && form_ == boolean_form::original;
  const place at{bounds_, &unions_, false, false};
  for (const pending_denial* one = denials_; one != nullptr; one = one->next) {
    const bool sound =
        one->path != nullptr
            ? walk_not(*one->path, one->part, at)
            : walk_none(one->part.as_array().value_or(wire::document_view{}), nullptr, at);
    if (!sound) return false;
  }
  return true;
}

}  // namespace scattergate::routing
