// The part of filter_walk that reads what is denied: $nor and $not. Before 8.0 an index answers
// the negation of one comparison and no more (mongo: query/indexability.h); from then on
// filters are simplified first, which hands a negation down to the comparisons.

#include "routing/bounds/filter_walk_siblings.hpp"

namespace scattergate::routing {

using wire::bson_type;
using wire::document_view;
using wire::element;

/// Nothing below an $elemMatch is simplified (mongo: expression_bitset_tree_converter.cpp).
bool filter_walk::is_simplified(const match_path* outer) const noexcept {
  return is_formed_ && form_ == boolean_form::simplified && outer == nullptr && elements_ == 0;
}

/// $nor: none of them, so each one's negation; negated again, any of them.
bool filter_walk::walk_none(document_view branches, const match_path* outer,
                            const place& at) noexcept {
  if (is_simplified(outer)) {
    return at.negated ? walk_any(branches, outer, at.turned())
                      : walk_all(branches, outer, at.turned());
  }
  has_inner_denials_ = true;
  if (at.unions == nullptr) return walk_aside(branches, outer);
  if (may_simplify() && !at.negated && outer == nullptr && has_empty(branches)) {
    walk_nothing(at);
  }
  wire::document_reader reader{branches};
  element only;
  element second;
  const bool is_one = reader.next(only) && !reader.next(second);
  const auto filter = is_one ? only.as_document() : std::nullopt;
  const match_node* tree = filter ? outline_of(*filter, outlining(), memory_) : nullptr;
  if (may_simplify() && !at.negated && outer == nullptr && tree != nullptr &&
      is_always(*tree)) {
    walk_nothing(at);  // mongo: matcher/expression_tree.cpp, NorMatchExpression::getOptimizer
  }
  return walk_aside(branches, outer) && walk_denied(tree, outer, at);
}

/// Whether one of several filters says nothing.
bool filter_walk::has_empty(document_view branches) noexcept {
  wire::metered_reader reader{branches, work_};
  for (element branch; reader.next(branch);) {
    const auto filter = branch.as_document();
    if (filter && filter->is_empty()) return true;
  }
  return false;
}

bool filter_walk::is_always(const match_node& tree) noexcept {
  return tree.kind == match_kind::always_true ||
         (tree.kind == match_kind::all && tree.children.empty());
}

/// Reads filters for their faults alone.
bool filter_walk::walk_aside(document_view branches, const match_path* outer) noexcept {
  key_bounds aside = key_bounds::unbounded(target_.key.size(), memory_);
  return walk_all(branches, outer, {aside});
}

/// The negation of what may come to one comparison; nothing where it doesn't.
bool filter_walk::walk_denied(const match_node* tree, const match_path* outer,
                              const place& at) noexcept {
  if (at.negated || at.unions == nullptr || tree == nullptr || !is_negatable(*tree))
    return true;
  const match_path path{tree->path, outer};
  switch (tree->kind) {
    case match_kind::exists:
      bound_same(path, at.plain(),
                 [&](const field_rules& rules) { return existing(false, rules, memory_); });
      return true;
    case match_kind::eq:
    case match_kind::in:
      return tree->source.key() == "$in" ? walk_in(path, tree->source, false, at.turned())
                                         : equality(path, tree->source, at.turned());
    default: {
      siblings none{document_view{}, work_};
      const field_operator op = field_operator_of(tree->source.key());
      return walk_bounding(op, path, tree->source, none, at.turned());
    }
  }
}

/// The negation of a conjunction of several: any of them is denied.
bool filter_walk::walk_any_negated(document_view parts, bool are_branches,
                                   const match_path* outer, const place& at) noexcept {
  using kind = pending_union::kind;
  const match_path* kept = outer == nullptr ? nullptr : keep(*outer, memory_);
  if (at.unions == nullptr || (outer != nullptr && kept == nullptr)) return true;
  const kind is = are_branches ? kind::denied_branches : kind::denied_parts;
  at.unions->add({.branches = parts, .outer = kept, .is = is}, memory_);
  return true;
}

bool filter_walk::walk_operators_negated(const match_path& path, document_view operators,
                                         const place& at) noexcept {
  const match_path* kept = keep(path, memory_);
  if (at.unions == nullptr || kept == nullptr) return true;
  at.unions->add(
      {.branches = operators, .is = pending_union::kind::denied_operators, .path = kept},
      memory_);
  return true;
}

bool filter_walk::walk_not(const match_path& path, const element& operand,
                           const place& at) noexcept {
  if (operand.type() == bson_type::regex) {
    return walk_field(path, operand, at.turned());
  }
  const auto operators = operand.as_document();
  if (!operators || operators->is_empty()) return fail(filter_fault::refused);
  if (is_simplified(path.outer)) return walk_operators(path, *operators, at.turned());
  if (awaits_form(path.outer, at)) {
    postpone(operand, &path);
    key_bounds aside = key_bounds::unbounded(target_.key.size(), memory_);
    return walk_operators(path, *operators, {aside});
  }
  has_inner_denials_ = true;
  const match_node* tree = outline_of_operators(*operators, path.name, outlining(), memory_);
  const bool is_denied = tree != nullptr && is_negatable(*tree);
  if (!is_denied) {
    bound_same(path, at.plain(), [](const field_rules&) {
      return field_bounds::nothing_known(reason::negation);
    });
  }
  key_bounds aside = key_bounds::unbounded(target_.key.size(), memory_);
  return walk_operators(path, *operators, {aside}) && walk_denied(tree, path.outer, at);
}

}  // namespace scattergate::routing
