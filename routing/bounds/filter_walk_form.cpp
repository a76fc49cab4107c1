// The part of filter_walk that learns in which form mongos plans the filter as a whole,
// from 8.0 on. What stands by itself reads alike in both forms; what denies more than one
// comparison waits until all that holds together is known.

#include <algorithm>

#include "routing/bounds/filter_walk.hpp"

namespace scattergate::routing {

using wire::element;

void filter_walk::remember(const conjunct& one) noexcept {
  if (last_conjunct_ == nullptr) {
    conjuncts_ = one;
    last_conjunct_ = &conjuncts_;
    return;
  }
  const auto kept = memory_.take<conjunct>(1);
  if (kept.empty()) return;
  kept[0] = one;
  last_conjunct_->next = kept.data();
  last_conjunct_ = kept.data();
}

/// One of 64, which different paths may share.
std::uint64_t filter_walk::bit_of(std::string_view path) noexcept {
  if (path.empty()) return 1;
  const auto first = static_cast<unsigned char>(path.front());
  const auto last = static_cast<unsigned char>(path.back());
  return std::uint64_t{1} << ((7 * path.size() + first + 3U * last) % 64);
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

/// Whether the form may change anything: where more than one comparison is denied, or a
/// comparison stands beside what may be its denial.
bool filter_walk::needs_form() const noexcept {
  if (last_conjunct_ == nullptr) return false;
  return denials_ != nullptr || has_inner_denials_ || (held_paths_ & denied_paths_) != 0;
}

void filter_walk::learn_form() noexcept {
  form_ = form_of(&conjuncts_, outlining(), rules_.simple_collation, memory_);
  if (rules_.may_not_simplify) {  // either form may be: the wider answer
    if (form_ == boolean_form::simplified) form_ = boolean_form::original;
    if (form_ == boolean_form::nothing) form_ = boolean_form::unknown;
  }
  pins_.spoiled |= pins_.repeated && form_ == boolean_form::original;
  if (form_ != boolean_form::nothing && form_ != boolean_form::unknown) return;
  facts_.may_be_false |= form_ == boolean_form::unknown;
  bounds_.is_false = true;
  pins_.spoiled = true;
}

bool filter_walk::is_contradiction() const noexcept {
  return bounds_.has_unseen || std::ranges::any_of(bounds_.fields, &interval_set::is_empty);
}

bool filter_walk::may_pin_otherwise() noexcept {
  if (!may_simplify() || contradicts_ || !is_contradiction()) return false;
  if (facts_.has_only_listed || facts_.has_collapsed) return true;
  if (unions_.first() == nullptr) return false;
  if (form_ == boolean_form::original) learn_form();
  return form_ != boolean_form::original;
}

/// Reads what waited for the form. False where that found a fault.
bool filter_walk::read_denials() noexcept {
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
