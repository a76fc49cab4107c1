#pragma once

#include "routing/bounds/match_outline.hpp"

namespace scattergate::routing {

/// A node of a match outline (match_outline.hpp) under construction, with its children in a
/// linked list. Thread-safety: as for the scratch memory that holds it.
struct match_draft {
  match_kind kind;
  std::string_view path{};
  wire::element source{};
  match_draft* first = nullptr;
  match_draft* last = nullptr;
  match_draft* next = nullptr;
  std::size_t count = 0;

  void add(match_draft* child) noexcept;

  [[nodiscard]] bool is_true() const noexcept {
    return (kind == match_kind::all && count == 0) || kind == match_kind::always_true;
  }
  [[nodiscard]] bool is_false() const noexcept { return kind == match_kind::always_false; }

  /// Optimises the node as mongos does (mongo: matcher/expression_tree.cpp, getOptimizer).
  /// REQUIRES: its children are optimised.
  void simplify() noexcept;

  /// Replaces the negation of a constant by a constant, as later versions of mongos do (mongo:
  /// matcher/expression_optimizer.cpp at 1c287af, listOfOptimizer and notOptimizer). Returns
  /// whether there was one.
  bool settle_negation() noexcept;

  /// Whether the node has a single child that can replace it.
  [[nodiscard]] bool is_wrapper() const noexcept {
    return count == 1 && (kind == match_kind::all || kind == match_kind::any);
  }

 private:
  void absorb(bool conjoins) noexcept;
};

struct conjunct;

/// The unsorted tree of a conjunction.
struct drafted_tree {
  match_draft* root = nullptr;  ///< null: the scratch memory is exhausted, or a part unreadable
  bool has_settled = false;     ///< negations of constants were replaced
};

/// Builds the tree of the conjunction of `conjuncts`.
[[nodiscard]] drafted_tree draft_of(const conjunct* conjuncts, const outline_rules& rules,
                                    scratch& memory) noexcept;

}  // namespace scattergate::routing
