#pragma once

#include <cstddef>
#include <span>

#include "routing/bounds/value_bounds.hpp"
#include "routing/key_field_set.hpp"
#include "routing/keys/interval.hpp"

namespace scattergate::routing {

/// The bounds that a conjunction of predicates, or a union of conjunctions, implies for a shard
/// key: one set of intervals per field. Conjunctions are united field by field, as in mongos
/// (mongo: shard_key_pattern_query_util.cpp, collapseQuerySolution), so a union may cover more
/// keys than its branches. A union's `named`, `positive` and `indexable` have the fields that
/// are in these sets of every branch; `negative`, of any branch; `not_indexable` is empty.
/// Thread-safety: one thread at a time.
struct key_bounds {
  std::span<interval_set> fields;  ///< one set per key field; empty if memory ran out
  key_field_set named;             ///< fields with a predicate, even one that gives no bounds
  key_field_set positive;   ///< fields with a predicate that gives bounds and isn't a negation
  key_field_set negative;   ///< fields with a negation that gives bounds: a complement, such as
                            ///< all values but 5 for {$ne: 5}
  key_field_set indexable;  ///< fields with a predicate that an index can support
  key_field_set not_indexable;  ///< fields with a predicate that no index can support
  bool is_false = false;        ///< mongos detects that nothing matches, and computes no bounds

  /// Bounds of `count` fields that are all [MinKey, MaxKey]; `fields` is empty if the scratch
  /// memory is exhausted.
  [[nodiscard]] static key_bounds unbounded(std::size_t count, scratch& memory) noexcept;

  /// Bounds that no key satisfies, as of a union without branches: all `count` fields have
  /// empty sets. `fields` is empty if the scratch memory is exhausted.
  [[nodiscard]] static key_bounds nothing(std::size_t count, scratch& memory) noexcept;

  /// Whether the bounds on field i come only from negations (see `negative`).
  [[nodiscard]] bool is_complement(std::size_t i) const noexcept {
    return negative.without(positive).contains(i);
  }

  /// Adds a predicate on field `i` to the conjunction.
  void narrow(std::size_t i, const field_bounds& predicate, scratch& memory) noexcept;

  /// Intersects these bounds with those of another conjunction or of a union. Also adds the
  /// other's sets of fields, except `not_indexable`.
  void intersect(const key_bounds& other, scratch& memory) noexcept;

 private:
  void conjoin(std::size_t i, const interval_set& set, scratch& memory) noexcept;
};

/// Collects the branches of a union, and unites them all at the end, which is faster than
/// uniting one by one. Thread-safety: one thread at a time.
class bounds_union {
 public:
  /// `fields`: the number of fields in the key. `memory` must outlive this object.
  bounds_union(std::size_t fields, scratch& memory) noexcept;

  /// Returns unbounded key_bounds for the next branch, to narrow and pass to add(). The next
  /// call of branch() reuses the memory of these bounds. `fields` is empty if the scratch
  /// memory is exhausted.
  [[nodiscard]] key_bounds branch() noexcept;

  /// Adds a branch. If `branch.fields` is empty because memory ran out, the branch counts as
  /// unbounded.
  void add(const key_bounds& branch) noexcept;

  /// Returns the union of all added branches. If memory runs out, fields are unbounded, or
  /// `fields` is empty.
  [[nodiscard]] key_bounds finish() noexcept;

  /// Omits a branch that matches nothing. Call this instead of add().
  void omit() noexcept { has_omitted_ = true; }

  /// Whether the union had several branches, and all of them but one were omitted.
  [[nodiscard]] bool is_one_of_several() const noexcept { return has_omitted_ && count_ == 1; }

  /// Whether there was more than one branch, or a branch was omitted.
  [[nodiscard]] bool is_of_several() const noexcept { return has_omitted_ || count_ > 1; }

  /// Whether all branches were omitted, so that the union matches nothing.
  [[nodiscard]] bool has_none() const noexcept { return has_omitted_ && count_ == 0; }

  /// Whether an added branch bounds the key's first field.
  [[nodiscard]] bool has_bounded_leading() const noexcept { return has_bounded_leading_; }

 private:
  /// A block of collected intervals, in a linked list.
  struct block {
    block* before = nullptr;
    std::span<interval> room;
    std::size_t used = 0;
  };
  /// All collected intervals of one field.
  struct pile {
    block* last = nullptr;
    std::size_t size = 0;
    bool is_full = false;
  };
  void add_to(pile& to, const interval_set& set) noexcept;
  [[nodiscard]] bool append(pile& to, std::span<const interval> intervals) noexcept;
  [[nodiscard]] interval_set unite(const pile& from) noexcept;

  scratch& memory_;
  std::span<pile> piles_;
  key_bounds branch_;
  key_field_set named_ = key_field_set::every();
  key_field_set positive_ = key_field_set::every();
  key_field_set negative_;
  key_field_set indexable_ = key_field_set::every();
  std::size_t fields_;
  std::size_t count_ = 0;
  bool has_omitted_ = false;
  bool has_bounded_leading_ = false;
};

}  // namespace scattergate::routing
