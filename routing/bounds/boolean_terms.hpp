#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "routing/scratch.hpp"

/// Boolean algebra over at most 64 predicates, numbered 0 to 63. Simplifies filters as mongos
/// does (mongo: query/boolean_simplification/bitset_tree.cpp and bitset_algebra.cpp at
/// 1c287af).
namespace scattergate::routing {

/// A conjunction of predicates or their negations. Bit i of `mask`: predicate i is part of the
/// conjunction. Bit i of `values`: predicate i is not negated. `values` has no bit that `mask`
/// lacks.
struct boolean_term {
  std::uint64_t mask = 0;
  std::uint64_t values = 0;

  /// The number of predicates.
  [[nodiscard]] std::size_t size() const noexcept {
    return static_cast<std::size_t>(std::popcount(mask));
  }
  /// Whether the two terms can't both be true.
  [[nodiscard]] bool contradicts(const boolean_term& other) const noexcept {
    return ((values ^ other.values) & mask & other.mask) != 0;
  }
  /// Whether this term is true whenever `other` is, so that `other` is redundant in a
  /// disjunction.
  [[nodiscard]] bool absorbs(const boolean_term& other) const noexcept {
    return (mask & other.mask) == mask && ((values ^ other.values) & mask) == 0;
  }
};

/// A node of a boolean expression: the conjunction of its leaves and child nodes, or their
/// disjunction. The children are a linked list.
struct boolean_node {
  bool conjoins = true;     ///< true: a conjunction; false: a disjunction
  bool is_negated = false;  ///< whether the result is negated
  boolean_term leaves;      ///< the predicates directly in this node, each possibly negated
  boolean_node* first = nullptr;  ///< the first child
  boolean_node* last = nullptr;   ///< the last child
  boolean_node* next = nullptr;   ///< the next sibling

  /// Appends a child.
  void add(boolean_node& child) noexcept {
    (last != nullptr ? last->next : first) = &child;
    last = &child;
  }
};

/// A disjunction of at most `limit` terms, allocated in the scratch memory. Thread-safety: as
/// for the scratch memory.
class boolean_terms {
 public:
  /// The maximum number of terms (mongo: internalQueryMaximumNumberOfMinterms...).
  static constexpr std::size_t limit = 64;

  /// Sets this object to the disjunctive normal form of `tree`: a disjunction of conjunctions.
  /// Returns false if a step needs more than `limit` terms, or if the scratch memory is
  /// exhausted. Also returns false if the tree is nested deeper than
  /// wire::limits::inspect_depth.
  [[nodiscard]] bool read(const boolean_node& tree, scratch& memory) noexcept;

  /// The terms; a view of scratch memory. The next change of this object also changes them.
  [[nodiscard]] std::span<const boolean_term> all() const noexcept {
    return terms_.first(count_);
  }

  /// Removes the terms that another term absorbs. Sorts the remaining terms by size.
  void remove_redundant() noexcept;

  /// Whether two terms differ only in the sign of one predicate, so that mongos merges them.
  [[nodiscard]] bool has_mergeable() const noexcept;

  /// Removes the predicates that all terms contain with the same sign, and returns them. If
  /// this leaves a term without predicates (always true), only that term remains. REQUIRES:
  /// there is a term.
  [[nodiscard]] boolean_term take_common() noexcept;

  /// The size of the simplified filter, as mongos computes it: the number of nodes and
  /// predicates.
  [[nodiscard]] std::size_t expression_size() const noexcept;

 private:
  [[nodiscard]] bool read(const boolean_node& tree, bool is_negated, scratch& memory,
                          std::uint32_t depth) noexcept;
  [[nodiscard]] bool conjoin(const boolean_terms& other, scratch& memory) noexcept;
  [[nodiscard]] bool disjoin(const boolean_terms& other) noexcept;

  std::span<boolean_term> terms_;
  std::size_t count_ = 0;
};

}  // namespace scattergate::routing
