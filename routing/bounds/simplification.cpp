#include "routing/bounds/simplification.hpp"

#include <algorithm>
#include <array>

#include "routing/bounds/boolean_terms.hpp"
#include "routing/bounds/document_path.hpp"
#include "routing/bounds/match_draft.hpp"
#include "routing/bounds/match_operator.hpp"
#include "routing/bounds/operator_document.hpp"
#include "routing/bounds/value_bounds.hpp"
#include "routing/keys/key_encoding.hpp"
#include "wire/metered_reader.hpp"

namespace scattergate::routing {
namespace {

using wire::document_view;
using wire::element;

constexpr std::size_t most_predicates = boolean_terms::limit;
/// The first version that certainly replaces negations of constants by constants.
constexpr server_version folds_negations_since{8, 2};
/// The cost of one node, and of comparing two predicates, in units of wire::work_budget.
constexpr std::size_t simplified_node_units = 30;
constexpr std::size_t compare_units = 4;

/// A predicate of the expression: a comparison, or an `$or` of equalities on one field, which
/// mongos turns into a list (mongo: matcher/expression_optimizer.cpp, listOfOptimizer).
struct leaf {
  const match_draft* node;
  bool is_list_of_or;
};

/// Whether the predicate can be a member of a list.
bool is_listable(const match_draft& node) noexcept {
  return node.kind == match_kind::eq || node.kind == match_kind::regex;
}

/// Whether the predicate is a list, written as `$in` or as `$or`.
bool is_list(const leaf& one) noexcept {
  return one.is_list_of_or || one.node->kind == match_kind::in;
}

/// Whether a predicate needs a special index. A filter may have only one of these.
bool is_special(match_kind kind) noexcept {
  return kind == match_kind::geo || kind == match_kind::near || kind == match_kind::text;
}

/// The operand of a comparison; for an equality that is written as a list of one value, that
/// value.
element operand_of(const element& source) noexcept {
  if (source.key() != "$in" && source.key() != "$nin") return source;
  element only;
  const auto members = source.as_array();
  return members && wire::document_reader{*members}.next(only) ? only : source;
}

/// Whether both are certainly the same predicate, because their bytes are equal.
bool is_same(const leaf& left, const leaf& right) noexcept {
  if (left.node == right.node && left.is_list_of_or == right.is_list_of_or) return true;
  const match_draft& a = *left.node;
  const match_draft& b = *right.node;
  if (left.is_list_of_or || right.is_list_of_or || a.kind != b.kind || a.path != b.path) {
    return false;
  }
  if (a.kind == match_kind::exists) return true;
  const bool has_same_field = a.kind == match_kind::bits || a.kind == match_kind::geo;
  if (has_same_field && a.source.key() != b.source.key()) return false;
  // A $regex may have options in a field of its own, so equal patterns don't suffice.
  const bool has_value = a.source.value().data() != nullptr && a.source.key() != "$regex";
  const bool is_equality = a.kind == match_kind::eq;
  return has_value && (is_equality ? same_value(operand_of(a.source), operand_of(b.source))
                                   : same_value(a.source, b.source));
}

bool is_text(const element& value) noexcept {
  return value.is_string() || value.type() == wire::bson_type::symbol;
}

/// Whether mongos may consider the values equal although their bytes differ.
bool may_equal(const element& left, const element& right, bool simple_collation,
               scratch& memory) noexcept {
  const bool are_numbers = left.is_number() && right.is_number();
  const bool are_texts = is_text(left) && is_text(right);
  if (left.type() != right.type() && !are_numbers && !are_texts) return false;
  if (!simple_collation && is_collatable(left.type())) return true;
  const std::size_t mark = memory.mark();
  const bytes_view a = encode(left, memory);
  const bytes_view b = encode(right, memory);
  const bool are_equal = a.empty() || b.empty() || compare_encoded(a, b) == 0;
  memory.rewind(mark);
  return are_equal;
}

/// Whether both may be the same predicate.
bool may_be_same(const leaf& left, const leaf& right, bool simple_collation,
                 scratch& memory) noexcept {
  const match_draft& a = *left.node;
  const match_draft& b = *right.node;
  if (is_list(left) || is_list(right)) {
    const bool both = is_list(left) && is_list(right);
    if (!both) return false;
    // Equal lists may be in different order, or one may come from an $or.
    return left.is_list_of_or || right.is_list_of_or ||
           (a.path == b.path && a.source.value().size() == b.source.value().size());
  }
  if (a.kind != b.kind || a.path != b.path) return false;
  switch (a.kind) {
    case match_kind::eq:
    case match_kind::lt:
    case match_kind::lte:
    case match_kind::gt:
    case match_kind::gte:
      return may_equal(operand_of(a.source), operand_of(b.source), simple_collation, memory);
    default:
      return true;
  }
}

/// Simplifies a filter's tree, and compares the size of the result with the original's. It runs
/// once for a lower bound of what mongos knows (is_strict_: only certainly equal predicates are
/// equal), and, if that may differ, once more with all predicates equal that may be.
class simplifying {
 public:
  simplifying(bool simple_collation, scratch& memory) noexcept
      : simple_collation_(simple_collation), memory_(memory), work_(memory.work()) {}

  planned_form planned(const match_draft& root) noexcept {
    const boolean_form found = form(root);
    return {.form = found,
            .may_merge = may_merge_,
            .may_be_simplified = may_be_simplified_ && has_double_negation_,
            .is_certain = !may_be_simplified_,
            .has_negation = has_negation_,
            .has_double_negation = has_double_negation_};
  }

 private:
  enum class conflict : std::uint8_t { none, always_true, always_false };

  boolean_form form(const match_draft& root) noexcept {
    if (root.is_false()) return boolean_form::nothing;
    const boolean_form certain = read(root);
    if (certain == boolean_form::nothing || !may_be_less_) return certain;
    is_strict_ = false;
    const boolean_form loose = read(root);
    may_be_simplified_ = loose == boolean_form::simplified && certain != loose;
    return loose == boolean_form::nothing ? boolean_form::unknown : certain;
  }

  boolean_form read(const match_draft& root) noexcept {
    leaf_count_ = 0;
    special_ = 0;
    size_ = 0;
    conflict_ = conflict::none;
    aborted_ = false;
    boolean_node tree;
    visit(root, tree, false, true);
    if (aborted_ || work_.is_low()) return boolean_form::original;
    if (conflict_ == conflict::always_false) return boolean_form::nothing;
    if (conflict_ == conflict::always_true) return boolean_form::simplified;
    if (tree.first == nullptr) {
      return size_ > 1 + tree.leaves.size() ? boolean_form::simplified : boolean_form::original;
    }
    const std::size_t mark = memory_.mark();
    const boolean_form found = normal(tree);
    memory_.rewind(mark);
    return found;
  }

  /// The form that follows from the disjunctive normal form (mongo: simplifyBitsetTree,
  /// handleRootedAndCase).
  boolean_form normal(const boolean_node& tree) noexcept {
    boolean_terms terms;
    if (!terms.read(tree, memory_)) return boolean_form::original;
    work_.charge(compare_units * terms.all().size() * terms.all().size());
    terms.remove_redundant();
    if (terms.all().empty()) return boolean_form::nothing;
    may_merge_ |= terms.has_mergeable();
    if (terms.has_mergeable() || repeats_special(terms)) return boolean_form::original;
    std::size_t size = 0;
    if (tree.conjoins) {
      const boolean_term common = terms.take_common();
      const bool is_true = terms.all().size() == 1 && terms.all().front().mask == 0;
      if (common.mask != 0) size = 1 + common.size();
      if (common.mask == 0 || !is_true) size += terms.expression_size();
    } else {
      size = terms.expression_size();
    }
    return size_ > size ? boolean_form::simplified : boolean_form::original;
  }

  /// Whether terms have more than one predicate with a special index, which mongos doesn't
  /// accept.
  [[nodiscard]] bool repeats_special(const boolean_terms& terms) const noexcept {
    std::size_t found = 0;
    for (const boolean_term& one : terms.all()) {
      found += static_cast<std::size_t>(std::popcount(one.mask & special_));
    }
    return found > 1;
  }

  void visit(const match_draft& node, boolean_node& parent, bool is_negated,
             bool is_root) noexcept {
    work_.charge(simplified_node_units);
    if (aborted_ || !depth_.enter()) {
      aborted_ = true;
      return;
    }
    switch (node.kind) {
      case match_kind::all:
        visit_children(node, parent, true, is_negated, is_root);
        break;
      case match_kind::any:
        visit_union(node, parent, is_negated, is_root);
        break;
      case match_kind::nor:
        ++negations_;
        visit_children(node, parent, false, !is_negated, is_root);
        --negations_;
        break;
      case match_kind::not_:
        ++negations_;
        visit(*node.first, parent, !is_negated, false);
        --negations_;
        break;
      case match_kind::always_false:
        ++size_;
        conflict_ = is_negated ? conflict::always_true : conflict::always_false;
        break;
      case match_kind::always_true:
        ++size_;
        conflict_ = is_negated ? conflict::always_false : conflict::always_true;
        break;
      case match_kind::other:
      case match_kind::internal_eq:
        // mongos never simplifies a filter with a $jsonSchema. For others it isn't known.
        if (node.kind == match_kind::other) note_unknown(node);
        [[fallthrough]];
      default:
        add_leaf({&node, false}, parent, is_negated);
    }
    depth_.leave();
  }

  void note_unknown(const match_draft& node) noexcept {
    const bool is_schema = node.source.key() == "$jsonSchema";
    aborted_ |= is_schema || is_strict_;
    may_be_less_ |= !is_schema;
  }

  void visit_union(const match_draft& node, boolean_node& parent, bool is_negated,
                   bool is_root) noexcept {
    const match_draft* only = only_field(node);
    if (only == nullptr) return visit_children(node, parent, false, is_negated, is_root);
    if (is_one_value(node)) return add_leaf({only, false}, parent, is_negated);
    add_leaf({&node, true}, parent, is_negated);
  }

  void visit_children(const match_draft& node, boolean_node& parent, bool conjoins,
                      bool is_negated, bool is_root) noexcept {
    ++size_;
    const auto room = memory_.allocate<boolean_node>(1);
    if (room.empty()) {
      aborted_ = true;
      return;
    }
    boolean_node& made = room[0];
    made = boolean_node{};
    made.conjoins = conjoins;
    made.is_negated = is_negated;
    const bool makes_lists = node.kind == match_kind::any;
    for (const match_draft* child = node.first; child != nullptr; child = child->next) {
      if (!makes_lists || !is_listable(*child) || !take_list(node, *child, made)) {
        if (makes_lists && is_listed_before(node, *child)) continue;
        visit(*child, made, false, false);
      }
      if (aborted_) return;
      if (conflict_ == conflict::none) continue;
      const bool decides = (conflict_ == conflict::always_false) == conjoins;
      may_merge_ |= conflict_ == conflict::always_true;
      if (!decides) {
        conflict_ = conflict::none;
        continue;
      }
      conflict_ = conjoins != is_negated ? conflict::always_false : conflict::always_true;
      return;
    }
    if (is_root) {
      parent = made;
    } else {
      parent.add(made);
    }
  }

  /// The first branch, if all are equalities or regexes on one field; null otherwise.
  [[nodiscard]] static const match_draft* only_field(const match_draft& any) noexcept {
    for (const match_draft* child = any.first; child != nullptr; child = child->next) {
      if (!is_listable(*child) || child->path != any.first->path) return nullptr;
    }
    return any.first;
  }

  /// Whether all branches have the same value.
  [[nodiscard]] static bool is_one_value(const match_draft& any) noexcept {
    for (const match_draft* child = any.first; child != nullptr; child = child->next) {
      if (!is_same({any.first, false}, {child, false})) return false;
    }
    return true;
  }

  /// Whether an earlier branch is an equality on the field of `one`.
  [[nodiscard]] bool is_listed_before(const match_draft& any, const match_draft& one) noexcept {
    if (!is_listable(one)) return false;
    for (const match_draft* child = any.first; child != &one; child = child->next) {
      work_.charge(compare_units);
      if (is_listable(*child) && child->path == one.path) return true;
    }
    return false;
  }

  /// If `one` is the first of several equalities on one field, adds a predicate for all of
  /// them, because mongos turns them into a list. Returns whether it did.
  bool take_list(const match_draft& any, const match_draft& one, boolean_node& to) noexcept {
    if (is_listed_before(any, one)) return false;
    for (const match_draft* child = one.next; child != nullptr; child = child->next) {
      work_.charge(compare_units);
      if (!is_listable(*child) || child->path != one.path) continue;
      add_leaf({&one, true}, to, false);
      return true;
    }
    return false;
  }

  /// Adds a predicate to `parent`. If `parent` already has its negation, sets conflict_.
  void add_leaf(const leaf& one, boolean_node& parent, bool is_negated) noexcept {
    ++size_;
    has_negation_ |= negations_ != 0;
    has_double_negation_ |= negations_ > 1 && (is_list(one) || is_listable(*one.node));
    const std::size_t number = number_of(one);
    // mongo: Context::isAborted.
    aborted_ |= leaf_count_ >= most_predicates;
    if (aborted_) return;
    const std::uint64_t bit = std::uint64_t{1} << number;
    if (is_special(one.node->kind)) special_ |= bit;
    const bool is_known = (parent.leaves.mask & bit) != 0;
    if (is_known && ((parent.leaves.values & bit) != 0) == is_negated) {
      conflict_ = parent.conjoins ? conflict::always_false : conflict::always_true;
      return;
    }
    parent.leaves.mask |= bit;
    if (!is_negated) parent.leaves.values |= bit;
  }

  /// The number of a predicate; equal predicates have the same number.
  std::size_t number_of(const leaf& one) noexcept {
    work_.charge(compare_units * (1 + leaf_count_));
    for (std::size_t i = 0; i < leaf_count_; ++i) {
      if (is_same(leaves_[i], one)) return i;
      if (!may_be_same(leaves_[i], one, simple_collation_, memory_)) continue;
      may_be_less_ = true;
      if (!is_strict_) return i;
    }
    if (leaf_count_ < most_predicates) leaves_[leaf_count_++] = one;
    return leaf_count_ - 1;
  }

  std::array<leaf, most_predicates> leaves_;
  std::size_t leaf_count_ = 0;
  std::uint64_t special_ = 0;
  std::size_t size_ = 0;
  std::size_t negations_ = 0;  ///< the number of negations around the current node
  bool has_negation_ = false;
  bool has_double_negation_ = false;
  bool may_be_simplified_ = false;
  conflict conflict_ = conflict::none;
  bool aborted_ = false;
  bool is_strict_ = true;
  bool may_be_less_ = false;  ///< some predicates may be equal, or constant, without certainty
  bool may_merge_ = false;
  bool simple_collation_;
  scratch& memory_;
  wire::work_budget& work_;
  wire::depth_guard depth_;
};

}  // namespace

planned_form form_of(const conjunct* conjuncts, const outline_rules& rules,
                     bool simple_collation, scratch& memory) noexcept {
  const std::size_t mark = memory.mark();
  const drafted_tree drafted = draft_of(conjuncts, rules, memory);
  planned_form found;
  if (drafted.root != nullptr) {
    found = simplifying{simple_collation, memory}.planned(*drafted.root);
  }
  memory.rewind(mark);
  if (found.form == boolean_form::original && drafted.has_folded &&
      rules.version < folds_negations_since) {
    outline_rules as_written = rules;
    as_written.keeps_negations = true;
    const planned_form larger = form_of(conjuncts, as_written, simple_collation, memory);
    found.may_be_simplified |= larger.has_negation && larger.form != boolean_form::original;
  }
  found.may_be_simplified |= drafted.has_doubt;
  return found;
}

}  // namespace scattergate::routing
