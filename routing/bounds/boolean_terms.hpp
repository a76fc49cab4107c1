#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "routing/scratch.hpp"

/// Boolean algebra over at most 64 predicates, to simplify filters as mongos does (mongo:
/// query/boolean_simplification/bitset_tree.cpp and bitset_algebra.cpp at 1c287af).
namespace scattergate::routing {

/// A conjunction of the predicates in `mask`; those without a bit in `values` are negated.
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
  /// Whether this term is true wherever `other` is.
  [[nodiscard]] bool absorbs(const boolean_term& other) const noexcept {
    return (mask & other.mask) == mask && ((values ^ other.values) & mask) == 0;
  }
};

/// A node of a boolean expression: a conjunction or disjunction of predicates and inner nodes.
struct boolean_node {
  bool conjoins = true;
  bool is_negated = false;
  boolean_term leaves;
  boolean_node* first = nullptr;
  boolean_node* last = nullptr;
  boolean_node* next = nullptr;

  void add(boolean_node& child) noexcept {
    (last != nullptr ? last->next : first) = &child;
    last = &child;
  }
};

/// A disjunction of terms. Allocated in the scratch memory.
class boolean_terms {
 public:
  static constexpr std::size_t limit = 64;  ///< mongo: internalQueryMaximumNumberOfMinterms...

  /// Computes the disjunctive normal form of a tree; false if it has too many terms or the
  /// scratch memory is exhausted.
  [[nodiscard]] bool read(const boolean_node& tree, scratch& memory) noexcept;

  [[nodiscard]] std::span<const boolean_term> all() const noexcept {
    return terms_.first(count_);
  }

  /// Removes every term that another one absorbs.
  void remove_redundant() noexcept;

  /// Whether two terms differ only in the sign of one predicate, so that mongos merges them.
  [[nodiscard]] bool has_mergeable() const noexcept;

  /// Removes the predicates common to all terms, and returns them. REQUIRES: there is a term.
  [[nodiscard]] boolean_term take_common() noexcept;

  /// The number of nodes and predicates of the resulting expression.
  [[nodiscard]] std::size_t expression_size() const noexcept;

 private:
  [[nodiscard]] bool read(const boolean_node& tree, bool is_negated, scratch& memory,
                          std::uint32_t depth) noexcept;
  [[nodiscard]] bool conjoin(const boolean_terms& with, scratch& memory) noexcept;
  [[nodiscard]] bool disjoin(const boolean_terms& with) noexcept;

  std::span<boolean_term> terms_;
  std::size_t count_ = 0;
};

}  // namespace scattergate::routing
