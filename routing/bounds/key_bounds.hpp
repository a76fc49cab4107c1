#pragma once

#include <cstddef>
#include <span>

#include "routing/bounds/value_bounds.hpp"
#include "routing/key_field_set.hpp"
#include "routing/keys/interval.hpp"

namespace scattergate::routing {

/// The bounds of a shard key's fields that a conjunction, or a union of conjunctions, implies:
/// one set of intervals per field. A union is formed field by field, as in mongos (mongo:
/// shard_key_pattern_query_util.cpp, collapseQuerySolution), so it may be wider than its
/// members. Thread-safety: as for the scratch memory that holds the sets.
struct key_bounds {
  std::span<interval_set> fields;
  key_field_set named;      ///< fields with a predicate, whether or not it bounds them
  key_field_set positive;   ///< fields bounded by more than a complement
  key_field_set negative;   ///< fields bounded by a complement
  key_field_set assigned;   ///< fields with a predicate that an index could use
  key_field_set left_out;   ///< fields with a predicate that no index could use
  bool is_false = false;    ///< mongos detects that nothing matches, and plans no further
  bool has_unseen = false;  ///< there was a contradiction on the field `unseen`, which is
                            ///< therefore unbounded

  /// Unbounded sets for `count` fields; `fields` is empty if the scratch memory is exhausted.
  [[nodiscard]] static key_bounds unbounded(std::size_t count, scratch& memory) noexcept;

  /// The empty union, which nothing matches.
  [[nodiscard]] static key_bounds nothing(std::size_t count, scratch& memory) noexcept;

  /// Whether field i is bounded by complements only.
  [[nodiscard]] bool is_complement(std::size_t i) const noexcept {
    return negative.without(positive).contains(i);
  }

  /// Adds one predicate on field `i` to the conjunction. `unseen`: the field on which mongos
  /// doesn't detect contradictions, so that it becomes unbounded after one; -1: none.
  void narrow(std::size_t i, const field_bounds& by, int unseen, scratch& memory) noexcept;

  /// Adds all predicates of another conjunction; `unseen`: see narrow().
  void intersect(const key_bounds& other, int unseen, scratch& memory) noexcept;

 private:
  void conjoin(std::size_t i, const interval_set& set, int unseen, scratch& memory) noexcept;
};

/// Collects the branches of a union and unites them all at the end, which is cheaper than one
/// by one. Thread-safety: as for the scratch memory.
class bounds_union {
 public:
  bounds_union(std::size_t fields, scratch& memory) noexcept;

  /// Returns empty bounds for the next branch; fill them in and pass them to add(). Their
  /// memory is reused. `fields` is empty if the scratch memory is exhausted.
  [[nodiscard]] key_bounds branch() noexcept;

  /// Adds a branch. If memory ran out for its bounds, it counts as unbounded.
  void add(const key_bounds& branch) noexcept;

  /// The union of all branches.
  [[nodiscard]] key_bounds finish() noexcept;

  /// Call it in place of add() for a branch that nothing matches.
  void leave_out() noexcept { has_left_out_ = true; }

  /// Whether all branches but one were omitted.
  [[nodiscard]] bool is_one_of_several() const noexcept { return has_left_out_ && count_ == 1; }

  /// Whether there was more than one branch.
  [[nodiscard]] bool is_of_several() const noexcept { return has_left_out_ || count_ > 1; }

  /// Whether all branches were omitted, so that nothing matches.
  [[nodiscard]] bool has_none() const noexcept { return has_left_out_ && count_ == 0; }

  /// Whether a branch bounds the first field.
  [[nodiscard]] bool has_bounded_leading() const noexcept { return has_bounded_leading_; }

 private:
  /// Intervals, and a link to those collected earlier.
  struct block {
    block* before = nullptr;
    std::span<interval> room;
    std::size_t used = 0;
  };
  /// The collected intervals of one field.
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
  key_field_set assigned_ = key_field_set::every();
  std::size_t fields_;
  std::size_t count_ = 0;
  bool has_left_out_ = false;
  bool has_bounded_leading_ = false;
  bool has_unseen_ = false;
};

}  // namespace scattergate::routing
