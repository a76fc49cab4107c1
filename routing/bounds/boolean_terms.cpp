#include "routing/bounds/boolean_terms.hpp"

#include <algorithm>
#include <array>
#include <tuple>

#include "wire/limits.hpp"

namespace scattergate::routing {

bool boolean_terms::read(const boolean_node& tree, scratch& memory) noexcept {
  return read(tree, false, memory, 0);
}

bool boolean_terms::read(const boolean_node& tree, bool is_negated, scratch& memory,
                         std::uint32_t depth) noexcept {
  is_negated ^= tree.is_negated;
  terms_ = memory.allocate<boolean_term>(limit);
  count_ = 0;
  if (terms_.empty() || depth > wire::limits::inspect_depth) return false;
  const bool conjoins = tree.conjoins != is_negated;
  const boolean_term& leaves = tree.leaves;
  const std::uint64_t values = is_negated ? ~leaves.values & leaves.mask : leaves.values;
  if (conjoins) {
    terms_[count_++] = {leaves.mask, values};
  } else {
    for (std::uint64_t left = leaves.mask; left != 0; left &= left - 1) {
      const std::uint64_t bit = left & (~left + 1);
      terms_[count_++] = {bit, values & bit};
    }
  }
  for (const boolean_node* child = tree.first; child != nullptr; child = child->next) {
    const std::size_t mark = memory.mark();
    boolean_terms inner;
    if (!inner.read(*child, is_negated, memory, depth + 1)) return false;
    if (!(conjoins ? conjoin(inner, memory) : disjoin(inner))) return false;
    memory.rewind(mark);
  }
  return true;
}

bool boolean_terms::conjoin(const boolean_terms& other, scratch& memory) noexcept {
  if (count_ * other.count_ > limit) return false;
  memory.work().charge(4 * (1 + count_ * other.count_));
  std::array<boolean_term, limit> products;
  std::size_t size = 0;
  for (const boolean_term& left : all()) {
    for (const boolean_term& right : other.all()) {
      if (left.contradicts(right)) continue;
      products[size++] = {left.mask | right.mask, left.values | right.values};
    }
  }
  std::copy_n(products.begin(), size, terms_.begin());
  count_ = size;
  return true;
}

bool boolean_terms::disjoin(const boolean_terms& other) noexcept {
  if (count_ + other.count_ > limit) return false;
  std::ranges::copy(other.all(), terms_.begin() + static_cast<std::ptrdiff_t>(count_));
  count_ += other.count_;
  return true;
}

void boolean_terms::remove_redundant() noexcept {
  const auto terms = terms_.first(count_);
  std::ranges::sort(terms, {}, [](const boolean_term& one) {
    return std::tuple{one.size(), one.mask, one.values};
  });
  std::size_t kept = 0;
  for (const boolean_term& one : terms) {
    const auto absorbs = [&one](const boolean_term& other) { return other.absorbs(one); };
    if (std::ranges::none_of(terms.first(kept), absorbs)) terms[kept++] = one;
  }
  count_ = kept;
}

bool boolean_terms::has_mergeable() const noexcept {
  const auto terms = all();
  for (std::size_t i = 0; i < terms.size(); ++i) {
    for (const boolean_term& other : terms.subspan(i + 1)) {
      if (other.mask == terms[i].mask && std::has_single_bit(other.values ^ terms[i].values)) {
        return true;
      }
    }
  }
  return false;
}

boolean_term boolean_terms::take_common() noexcept {
  std::uint64_t holding = ~std::uint64_t{0};
  std::uint64_t denied = ~std::uint64_t{0};
  for (const boolean_term& one : all()) {
    holding &= one.values;
    denied &= one.mask ^ one.values;
  }
  const std::uint64_t common = holding | denied;
  bool is_true = false;
  for (boolean_term& one : terms_.first(count_)) {
    one = {one.mask & ~common, one.values & ~common};
    is_true |= one.mask == 0;
  }
  if (is_true) {
    terms_[0] = {};
    count_ = 1;
  }
  return {common, holding};
}

std::size_t boolean_terms::expression_size() const noexcept {
  if (count_ == 1) return 1 + terms_[0].size();
  std::size_t size = 1;
  std::uint64_t alone = 0;
  for (const boolean_term& one : all()) {
    if (one.size() == 1) {
      alone |= one.mask;
    } else {
      size += 1 + one.size();
    }
  }
  return size + static_cast<std::size_t>(std::popcount(alone));
}

}  // namespace scattergate::routing
