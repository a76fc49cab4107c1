#include "routing/key_bounds.hpp"

#include <algorithm>

namespace scattergate::routing {
namespace {

interval_set conjoined(const interval_set& left, const interval_set& right, bool hashed,
                       scratch& memory) noexcept {
  if (right.is_full()) return left;
  if (left.is_full()) return right;
  const interval_set both = left.intersected(right, memory);
  // mongos doesn't see that two hashes contradict each other: it asks everybody.
  const bool unnoticed = hashed && both.is_empty() && !left.is_empty() && !right.is_empty();
  return unnoticed ? interval_set::full() : both;
}

}  // namespace

key_bounds key_bounds::unbounded(std::size_t count, scratch& memory) noexcept {
  key_bounds made;
  made.fields = memory.take<interval_set>(count);
  std::ranges::fill(made.fields, interval_set::full());
  return made;
}

key_bounds key_bounds::nothing(std::size_t count, scratch& memory) noexcept {
  key_bounds made;
  made.fields = memory.take<interval_set>(count);
  std::ranges::fill(made.fields, interval_set{});
  made.named = ~std::uint64_t{0};
  made.positive = ~std::uint64_t{0};
  return made;
}

void key_bounds::narrow(std::size_t i, const field_bounds& by, bool hashed,
                        scratch& memory) noexcept {
  const std::uint64_t bit = std::uint64_t{1} << i;
  named |= bit;
  if (by.set.is_full() || i >= fields.size()) return;
  (by.is_complement ? negative : positive) |= bit;
  fields[i] = conjoined(fields[i], by.set, hashed, memory);
}

void key_bounds::intersect(const key_bounds& other, int hashed_field,
                           scratch& memory) noexcept {
  for (std::size_t i = 0; i < fields.size() && i < other.fields.size(); ++i) {
    const bool hashed = static_cast<int>(i) == hashed_field;
    fields[i] = conjoined(fields[i], other.fields[i], hashed, memory);
  }
  named |= other.named;
  positive |= other.positive;
  negative |= other.negative;
}

void key_bounds::unite(const key_bounds& other, scratch& memory) noexcept {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    fields[i] = i < other.fields.size() ? fields[i].united(other.fields[i], memory)
                                        : interval_set::full();
  }
  named &= other.named;
  positive &= other.positive;
  negative |= other.negative;
}

}  // namespace scattergate::routing
