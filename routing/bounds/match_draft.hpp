#pragma once

#include "routing/bounds/match_outline.hpp"

namespace scattergate::routing {

/// A node of an outline that is being made: its children hang on a list.
/// Thread-safety: as the scratch that holds it.
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

  /// Makes of the node what mongos makes of it once its children are simplified (mongo:
  /// matcher/expression_tree.cpp, getOptimizer).
  void simplify() noexcept;

  /// What later versions make of a negation of what is always true or false (mongo:
  /// matcher/expression_optimizer.cpp at 1c287af, listOfOptimizer and notOptimizer).
  void settle_negation() noexcept;

  /// Whether only the one child is left to stand for the node.
  [[nodiscard]] bool is_wrapper() const noexcept {
    return count == 1 && (kind == match_kind::all || kind == match_kind::any);
  }

 private:
  void absorb(bool conjoins) noexcept;
};

struct conjunct;

/// What all of `conjuncts` say together, not sorted; null where the scratch is exhausted or one
/// of them can't be read.
[[nodiscard]] match_draft* draft_of(const conjunct* conjuncts, const outline_rules& rules,
                                    scratch& memory) noexcept;

}  // namespace scattergate::routing
