#include "routing/bounds/key_bounds.hpp"

#include <algorithm>

namespace scattergate::routing {
key_bounds key_bounds::unbounded(std::size_t count, scratch& memory) noexcept {
  key_bounds made;
  made.fields = memory.allocate<interval_set>(count);
  std::ranges::fill(made.fields, interval_set::full());
  return made;
}

key_bounds key_bounds::nothing(std::size_t count, scratch& memory) noexcept {
  key_bounds made;
  made.fields = memory.allocate<interval_set>(count);
  std::ranges::fill(made.fields, interval_set{});
  made.named = made.positive = made.indexable = key_field_set::every();
  return made;
}

void key_bounds::narrow(std::size_t i, const field_bounds& predicate,
                        scratch& memory) noexcept {
  named.insert(i);
  (predicate.uses_index ? indexable : not_indexable).insert(i);
  if (predicate.set.is_full() || i >= fields.size()) return;
  (predicate.is_complement ? negative : positive).insert(i);
  conjoin(i, predicate.set, memory);
}

void key_bounds::conjoin(std::size_t i, const interval_set& set, scratch& memory) noexcept {
  if (set.is_full()) return;
  interval_set& mine = fields[i];
  mine = mine.is_full() ? set : mine.intersected(set, memory);
}

void key_bounds::intersect(const key_bounds& other, scratch& memory) noexcept {
  for (std::size_t i = 0; i < fields.size() && i < other.fields.size(); ++i) {
    conjoin(i, other.fields[i], memory);
  }
  indexable.unite(other.indexable);
  named.unite(other.named);
  positive.unite(other.positive);
  negative.unite(other.negative);
}

bounds_union::bounds_union(std::size_t fields, scratch& memory) noexcept
    : memory_(memory), piles_(memory.allocate<pile>(fields)), fields_(fields) {
  memory_.work().charge(interval_units * (4 + 2 * fields));
  std::ranges::fill(piles_, pile{});
}

key_bounds bounds_union::branch() noexcept {
  if (branch_.fields.empty()) branch_.fields = memory_.allocate<interval_set>(fields_);
  std::ranges::fill(branch_.fields, interval_set::full());
  return branch_;
}

void bounds_union::add(const key_bounds& branch) noexcept {
  memory_.work().charge(interval_units * (1 + piles_.size()));
  for (std::size_t i = 0; i < piles_.size(); ++i) {
    const bool is_known = i < branch.fields.size();
    add_to(piles_[i], is_known ? branch.fields[i] : interval_set::full());
  }
  ++count_;
  named_.intersect(branch.named);
  positive_.intersect(branch.positive);
  negative_.unite(branch.negative);
  indexable_.intersect(branch.indexable);
  has_bounded_leading_ |= !branch.fields.empty() && !branch.fields[0].is_full();
}

void bounds_union::add_to(pile& to, const interval_set& set) noexcept {
  if (to.is_full) return;
  to.is_full = set.is_full() || !append(to, set.intervals());
}

bool bounds_union::append(pile& to, std::span<const interval> intervals) noexcept {
  memory_.work().charge(interval_units * intervals.size());
  while (!intervals.empty()) {
    if (to.last == nullptr || to.last->used == to.last->room.size()) {
      constexpr std::size_t first_block = 4;
      const auto made = memory_.allocate<block>(1);
      const auto room =
          memory_.allocate<interval>(std::max({first_block, to.size, intervals.size()}));
      if (made.empty() || room.empty()) return false;
      made[0] = block{to.last, room, 0};
      to.last = &made[0];
    }
    block& last = *to.last;
    const std::size_t count = std::min(intervals.size(), last.room.size() - last.used);
    std::ranges::copy(intervals.first(count), last.room.subspan(last.used).begin());
    last.used += count;
    to.size += count;
    intervals = intervals.subspan(count);
  }
  return true;
}

interval_set bounds_union::unite(const pile& from) noexcept {
  if (from.is_full) return interval_set::full();
  if (from.size == 0) return {};
  const auto room = memory_.allocate<interval>(from.size);
  if (room.empty()) return interval_set::full();
  std::size_t end = from.size;
  for (const block* each = from.last; each != nullptr; each = each->before) {
    end -= each->used;
    std::ranges::copy(each->room.first(each->used), room.subspan(end).begin());
  }
  return interval_set::of_many(room, memory_);
}

key_bounds bounds_union::finish() noexcept {
  key_bounds united = key_bounds::unbounded(fields_, memory_);
  for (std::size_t i = 0; i < united.fields.size() && i < piles_.size(); ++i) {
    united.fields[i] = unite(piles_[i]);
  }
  united.named = named_;
  united.positive = positive_;
  united.negative = negative_;
  united.indexable = indexable_;
  return united;
}

}  // namespace scattergate::routing
