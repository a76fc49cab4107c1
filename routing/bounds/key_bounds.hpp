#pragma once

#include <cstddef>
#include <span>

#include "routing/bounds/value_bounds.hpp"
#include "routing/key_field_set.hpp"
#include "routing/keys/interval.hpp"

namespace scattergate::routing {

/// What a conjunction, or a union of them, bounds each field of a shard key to. The sets of a
/// union are united field by field, as mongos does it (mongo:
/// shard_key_pattern_query_util.cpp, collapseQuerySolution).
/// Thread-safety: as the scratch that holds the sets.
struct key_bounds {
  std::span<interval_set> fields;
  key_field_set named;      ///< a predicate is on them, useful or not
  key_field_set positive;   ///< bounded by more than a complement
  key_field_set negative;   ///< bounded by a complement
  key_field_set assigned;   ///< a predicate is on them that an index could answer
  key_field_set left_out;   ///< a predicate is on them that none could
  bool is_false = false;    ///< mongos sees that nothing matches, and looks no further
  bool has_unseen = false;  ///< on the field `unseen` there was a contradiction: it is full

  /// Unbounded sets for `count` fields; `fields` is empty where the scratch is exhausted.
  [[nodiscard]] static key_bounds unbounded(std::size_t count, scratch& memory) noexcept;

  /// The empty union: what nothing matches.
  [[nodiscard]] static key_bounds nothing(std::size_t count, scratch& memory) noexcept;

  /// Whether field i is bounded by complements and nothing else.
  [[nodiscard]] bool is_complement(std::size_t i) const noexcept {
    return negative.without(positive).contains(i);
  }

  /// Adds one predicate on field `i` to the conjunction. On the field `unseen` contradictions
  /// go unnoticed, and after one nothing bounds it; -1: there is none such.
  void narrow(std::size_t i, const field_bounds& by, int unseen, scratch& memory) noexcept;

  /// Adds all predicates of another conjunction.
  void intersect(const key_bounds& other, int unseen, scratch& memory) noexcept;

 private:
  void conjoin(std::size_t i, const interval_set& set, int unseen, scratch& memory) noexcept;
};

/// Collects the branches of a union and unites them at the end, all at once: one by one, each
/// would go through all that were there before.
/// Thread-safety: as the scratch.
class bounds_union {
 public:
  bounds_union(std::size_t fields, scratch& memory) noexcept;

  /// A branch to be bounded and then given to add(): the same memory for one after the other.
  /// `fields` is empty where the scratch is exhausted.
  [[nodiscard]] key_bounds branch() noexcept;

  /// What isn't bounded for want of memory may match anything.
  void add(const key_bounds& branch) noexcept;

  /// The union of all branches.
  [[nodiscard]] key_bounds finish() noexcept;

  /// A branch that nothing matches counts as none.
  void leave_out() noexcept { has_left_out_ = true; }

  /// Whether all branches but one were left out.
  [[nodiscard]] bool is_one_of_several() const noexcept { return has_left_out_ && count_ == 1; }

  /// Whether there was more than one branch.
  [[nodiscard]] bool is_of_several() const noexcept { return has_left_out_ || count_ > 1; }

  /// Whether all branches were left out: nothing matches.
  [[nodiscard]] bool has_none() const noexcept { return has_left_out_ && count_ == 0; }

  /// Whether a branch bounds the first field.
  [[nodiscard]] bool has_bounded_leading() const noexcept { return has_bounded_leading_; }

 private:
  /// Intervals, and those that were collected before them.
  struct block {
    block* before = nullptr;
    std::span<interval> room;
    std::size_t used = 0;
  };
  /// What was collected of one field.
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
