#pragma once

#include <optional>

#include "routing/bounds/filter_fault.hpp"
#include "routing/bounds/key_bounds.hpp"
#include "routing/bounds/match_draft.hpp"
#include "routing/bounds/match_path.hpp"
#include "routing/bounds/name_table.hpp"
#include "routing/bounds/simplification.hpp"
#include "routing/catalog/catalog.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::routing {

/// Stores the unions in a conjunction until the whole conjunction has been read. A union is an
/// $or or a negated conjunction. Unions must wait because mongos's planner takes bounds from
/// only one of them, combined with the predicates next to it (mongo: query/plan_enumerator.cpp,
/// enumerateOneIndex).

/// A union to process later: an $or in a filter or in a rewritten $expr, or a negated
/// conjunction.
struct pending_union {
  enum class kind : std::uint8_t {
    branches,           ///< `branches` is the list of an $or
    negated_branches,   ///< `branches` is the list of a negated $and
    negated_parts,      ///< `branches` is a negated filter: the union of its negated fields
    negated_operators,  ///< `branches` are the negated operators on `path`: the union of their
                        ///< negations
  };
  wire::document_view branches;                     ///< the members of the union; see kind
  const rewritten_expression* rewritten = nullptr;  ///< a disjunction in a rewritten $expr;
                                                    ///< null: the union is in `branches`
  const match_path* outer = nullptr;  ///< the path of the $elemMatch around the union; null:
                                      ///< none
  kind is = kind::branches;
  const match_path* path = nullptr;     ///< for negated_operators: the path of the operators
  const match_draft* node = nullptr;    ///< an $or of the planned tree; null: the union is in
                                        ///< `branches` or `rewritten`
  const pending_union* next = nullptr;  ///< the next union of the list
};

/// A linked list of unions, in the order of the filter, in the scratch memory. Thread-safety:
/// one thread at a time.
class pending_unions {
 public:
  /// Appends a copy of `any`. If the scratch memory is exhausted, drops the union, which makes
  /// bounds wider.
  void add(const pending_union& any, scratch& memory) noexcept {
    const auto kept = memory.allocate<pending_union>(1);
    if (kept.empty()) return;
    kept[0] = any;
    (last_ != nullptr ? last_->next : first_) = kept.data();
    last_ = kept.data();
  }

  /// The first union; null if there is none.
  [[nodiscard]] const pending_union* first() const noexcept { return first_; }

 private:
  const pending_union* first_ = nullptr;
  pending_union* last_ = nullptr;
};

/// While several unions are compared: the best candidate so far for the union from which mongos
/// takes bounds.
struct union_choice {
  const pending_union* any = nullptr;   ///< the union; null: none yet
  const match_node* outline = nullptr;  ///< the outline of `any`; null: not built yet
  key_bounds bounds;                    ///< the bounds of `any`
};

/// The facts, besides the collection, that determine the meaning of a filter.
struct filter_rules {
  bool simple_collation = true;        ///< whether strings are compared byte by byte
  server_version version;              ///< the version of mongos
  const let_variables* let = nullptr;  ///< the variables that expressions may use; null: none
  bool trusts_hashes = false;  ///< mongos finds a string's chunk by its hash even if the
                               ///< collation isn't simple (findAndModify)
  bool is_stage = false;  ///< the filter is a $match, where mongos rejects $where and $near
  bool has_other_variables = false;  ///< expressions may have variables that `let` doesn't
                                     ///< contain
  /// It isn't certain that mongos simplifies the filter, because the filter is in a $lookup
  /// (mongo: query/canonical_query.cpp, initCq: enableSimplification; only shards don't
  /// simplify the filter of an upsert: 6faf0ef, parsed_update_base.cpp).
  bool may_not_simplify = false;
  /// The filter is read as it is written, although mongos may simplify it.
  bool is_as_written = false;
};

/// The cost of a predicate in addition to reading it, in units of wire::work_budget.
inline constexpr std::size_t predicate_units = 14;
/// The additional cost of a predicate for each field of the shard key, in units of
/// wire::work_budget.
inline constexpr std::size_t key_field_units = 4;

/// The cost of a filter in addition to its parts, in units of wire::work_budget.
inline constexpr std::size_t filter_units = 40;

/// The pins of a filter: equalities that fix key fields to one value each, and together may fix
/// the full shard key (mongo: update/path_support.cpp, extractFullEqualityMatches).
struct key_pins {
  std::span<wire::element> values;  ///< the value for each key field; valid if `pinned`
                                    ///< contains the field
  key_field_set pinned;             ///< the key fields with an equality
  key_field_set from_parent;  ///< the key fields in `pinned` whose value is part of an equality
                              ///< on a parent document
  key_field_set without_value;  ///< key fields whose parent document must equal a document
                                ///< without the field
  key_field_set listed;         ///< key fields that an $expr requires to be in a list of one
                                ///< value, which mongos turns into an equality
  bool is_void = false;   ///< nothing counts as pinned. For example, two equalities on a field
                          ///< differ, or an equality is on a path below a key field
  bool repeated = false;  ///< a field has two identical equalities, of which a simplified
                          ///< filter keeps one

  /// Adds an equality that fixes the key field number `field` to `value`. `is_from_parent`: the
  /// equality is on a parent document, which contains `value`. `merges`: mongos may merge
  /// identical equalities. Returns true if this equality and an earlier one are both on the
  /// field itself, with different values. Then nothing is pinned any more, and the caller must
  /// bound the field by `value`.
  [[nodiscard]] bool add(std::size_t field, const wire::element& value, bool is_from_parent,
                         bool merges, wire::work_budget& work) noexcept;
};

/// Facts about a filter, besides its bounds and key_pins, that affect routing or advice.
struct filter_facts {
  reason leading_cause = reason::none;  ///< why a predicate on the key's first field gives no
                                        ///< bounds
  /// The equality on _id, if there is exactly one; otherwise empty.
  std::optional<wire::element> id;
  bool has_id = false;      ///< there is an equality on _id
  bool ids_differ = false;  ///< there are several equalities on _id, which mongos doesn't merge
  std::size_t other_predicates = 0;  ///< the number of predicates other than the equality in
                                     ///< `id`
  bool has_text = false;             ///< there is a $text
  bool has_near = false;             ///< there is a $near
  bool has_expression = false;       ///< there is an $expr, at any depth
  bool or_lost_leading = false;      ///< some branches of an $or bound the key's first field,
                                     ///< others don't
  bool has_logical_shards = false;   ///< an $in lists the documents of one counter, such as
                                     ///< "a:1" and "a:2" (see are_logical_shards())
  /// An $expr requires a field to be in a list with one value.
  bool has_single_value_list = false;
  /// mongos removes all branches of an $or except one, which then replaces the $or.
  bool has_collapsed = false;
  bool has_double_negated_equality = false;  ///< simplifying the filter turns the negation of a
                                             ///< negated equality into an equality
  /// A branch of an $or contradicts itself, or contradicts the conditions outside the $or.
  bool has_empty_branch = false;
  bool may_drop_branch = false;  ///< mongos may detect that a branch of an $or matches nothing,
                                 ///< or may simplify a negation
  bool may_pin_parent = false;   ///< a branch of an $or has an equality on a parent document of
                                 ///< a key field
  /// It isn't certain which of several $ors mongos plans by, so the bounds are the union of
  /// the bounds of all $ors.
  bool has_union_choice = false;
  bool has_alternatives = false;   ///< there is an $or with several branches, at any depth
  bool has_hashed_branch = false;  ///< a branch of an $or has a condition on the hashed field
  bool has_empty_list = false;     ///< there is an `$in: []` or `$nin: []`, at any depth
  bool needs_empty_list = false;   ///< an `$in: []` applies to the whole filter
  bool has_one_value = false;      ///< the union of an $or's branches has a single value for a
                                   ///< field
  bool may_merge = false;  ///< mongos may remove a predicate, because two branches of an $or
                           ///< differ only in the negation of this predicate
  /// mongos may merge equal equalities on a key field; if it doesn't, they pin nothing.
  bool may_merge_repeated = false;
  /// mongos may detect that nothing matches, and then uses neither bounds nor pins.
  bool may_be_false = false;
  /// mongos may turn a list of one value in an $expr into an equality that contradicts a
  /// negation.
  bool may_negate_single_value_list = false;
  /// It isn't certain whether mongos simplifies the filter; the bounds are those of the form
  /// with the wider bounds.
  bool may_be_simplified = false;
  key_field_set varying;  ///< key fields that must equal a variable whose value differs between
                          ///< documents

  /// Records an equality on _id that applies to the whole filter. `is_plain`: the value is
  /// neither an array nor a regular expression. `may_repeat`: mongos may merge equal
  /// conditions. Charges `work` for comparing values.
  void note_id(const wire::element& value, bool is_plain, bool may_repeat,
               wire::work_budget& work) noexcept;
};

/// How to read a predicate: where its bounds belong, whether it is negated, and whether an
/// equality is a pin (see key_pins).
struct bounds_place {
  key_bounds& bounds;                ///< the bounds of the conjunction that contains the
                                     ///< predicate
  pending_unions* unions = nullptr;  ///< the $ors of this conjunction; null: only look for
                                     ///< faults
  bool negated = false;              ///< add the bounds of the negation
  bool may_pin = false;  ///< the predicate applies to the whole filter, so an equality is a
                         ///< pin

  /// A copy with the opposite negation, in which an equality isn't a pin.
  [[nodiscard]] bounds_place inverted() const noexcept {
    return {bounds, unions, !negated, false};
  }
  /// A copy without negation, in which an equality isn't a pin.
  [[nodiscard]] bounds_place plain() const noexcept { return {bounds, unions, false, false}; }
};

/// A negation to process later, once it is known whether mongos plans the filter in its
/// original or its simplified form.
struct pending_negation {
  wire::element part;                      ///< the $nor, or the operand of a $not
  const match_path* path = nullptr;        ///< the path of a $not; null for a $nor
  const pending_negation* next = nullptr;  ///< the next of the list; null: the last
};

/// Computes the bounds (ranges of values) that a filter, or the conjunction of several
/// filters, implies for a collection's shard key. Overview and example: filter_walk.cpp.
///
/// wire::limits::inspect_depth limits the recursion; the scratch memory's work budget limits
/// the total work. If the budget is spent, the walk ends as if everything had been read, so the
/// caller must check the budget. Thread-safety: one thread at a time.
class filter_walk {
 public:
  /// `target` and `memory` must outlive the walk.
  filter_walk(const collection& target, const filter_rules& rules, scratch& memory) noexcept;

  /// Adds a filter to the conjunction; false if the filter has a fault (see fault()).
  bool add(wire::document_view filter) noexcept;

  /// Adds one field of a filter to the conjunction; false if it has a fault (see fault()).
  bool add(const wire::element& part) noexcept;

  /// Adds an equality of `path` with a value that differs between documents, as in a $lookup.
  void add_varying(std::string_view path) noexcept;

  /// Why the filter has no bounds: mongos rejects it, or it can't be read. `none` if it has.
  [[nodiscard]] filter_fault fault() const noexcept { return fault_; }
  /// The collection whose shard key the filter bounds.
  [[nodiscard]] const collection& target() const noexcept { return target_; }
  /// The rules given to the constructor.
  [[nodiscard]] const filter_rules& rules() const noexcept { return rules_; }
  /// The facts found so far; complete once finish() has been called.
  [[nodiscard]] const filter_facts& facts() const noexcept { return facts_; }
  /// The equalities found so far that may pin the key; complete after finish().
  [[nodiscard]] const key_pins& pins() const noexcept { return pins_; }

  /// Processes the conditions that had to wait for the whole conjunction, and returns the
  /// bounds, also of the pinned fields. May find a fault. Later calls return the same bounds.
  [[nodiscard]] key_bounds& finish() noexcept;

  /// Whether mongos detects, or may detect, that no document can match.
  [[nodiscard]] bool may_match_nothing() const noexcept { return bounds_.is_false; }

  /// Records that mongos may detect that no document can match.
  void note_may_match_nothing() noexcept {
    facts_.may_be_false = true;
    bounds_.is_false = true;
    pins_.is_void = true;
  }

  /// Whether finish() still has to process conditions other than pins.
  [[nodiscard]] bool is_unfinished() const noexcept {
    return unions_.first() != nullptr || needs_form() || facts_.has_single_value_list ||
           (may_simplify() && (pins_.repeated || facts_.has_empty_list));
  }

  /// Whether mongos may pin the key by an equality that isn't in pins(), such as a part of an
  /// $or. REQUIRES: finish() was called, or is_unfinished() is false.
  [[nodiscard]] bool may_pin_otherwise() noexcept;

  /// Whether the filter may have an equality, a list or an `$exists` on the path, at any
  /// depth. Sometimes true for a filter that has none of them.
  [[nodiscard]] bool may_name(std::string_view path) const noexcept {
    return ((held_paths_ | negated_paths_) & bit_of(path)) != 0;
  }

  /// Whether mongos may remove a branch of an $or, and so may send the command to the owner of
  /// the first chunk. REQUIRES: finish() was called.
  [[nodiscard]] bool may_lose_branches() const noexcept {
    return facts_.has_collapsed || facts_.may_drop_branch ||
           (!is_planned_ && form_ != boolean_form::original && unions_.first() != nullptr);
  }

  /// Whether an index on the shard key could support the filter. REQUIRES: finish() was called.
  [[nodiscard]] bool uses_index() const noexcept { return uses_index_; }

  /// The rules for bounds on a field of the key, given by its position.
  [[nodiscard]] field_rules rules_of(std::size_t field) const noexcept {
    field_rules made = field_rules_;
    made.hashed = target_.key[field].hashed;
    return made;
  }

 private:
  friend class planned_walk;
  using place = bounds_place;
  [[nodiscard]] place top() noexcept {
    return {bounds_, &unions_, false, !pins_.values.empty()};
  }

  // filter_walk.cpp: the tree of $and, $or and $nor
  bool walk(wire::document_view filter, const match_path* outer, const place& at) noexcept;
  bool walk_part(const wire::element& part, const match_path* outer, const place& at) noexcept;
  bool walk_tree(const wire::element& part, const match_path* outer, const place& at) noexcept;
  bool walk_all(wire::document_view branches, const match_path* outer,
                const place& at) noexcept;
  void walk_nothing(const place& at) noexcept;
  void walk_late_nothing(const place& at) noexcept;
  bool take_neutral(const wire::element& part, const place& at) noexcept;

  // filter_walk.cpp: negations
  bool walk_none(wire::document_view branches, const match_path* outer,
                 const place& at) noexcept;
  bool walk_aside(wire::document_view branches, const match_path* outer) noexcept;
  bool walk_negated(const match_node* tree, const match_path* outer, const place& at) noexcept;
  bool walk_any_negated(wire::document_view parts, bool are_branches, const match_path* outer,
                        const place& at) noexcept;
  bool walk_operators_negated(const match_path& path, wire::document_view operators,
                              const place& at) noexcept;
  bool walk_not(const match_path& path, const wire::element& operand, const place& at) noexcept;
  [[nodiscard]] bool is_simplified(const match_path* outer) const noexcept;

  // filter_walk.cpp: the form in which mongos plans the filter, from 8.0 on
  void note(std::string_view path, bool is_negated) noexcept {
    (is_negated ? negated_paths_ : held_paths_) |= bit_of(path);
  }
  [[nodiscard]] bool may_simplify() const noexcept {
    return rules_.version >= server_version{8, 0};
  }
  [[nodiscard]] bool awaits_form(const match_path* outer, const place& at) const noexcept;
  void postpone(const wire::element& part, const match_path* path) noexcept;
  [[nodiscard]] bool needs_form() const noexcept;
  [[nodiscard]] bool is_contradiction() const noexcept;
  void learn_form() noexcept;
  bool read_negations() noexcept;
  [[nodiscard]] outline_rules outlining() const noexcept {
    return {rules_.let, rules_.version};
  }

  // filter_walk_union.cpp: $or
  bool walk_any(wire::document_view branches, const match_path* outer,
                const place& at) noexcept;
  bool resolve(const pending_unions& waiting, key_bounds& bounds, key_field_set outside,
               bool& uses_index) noexcept;
  bool unite(const pending_union& any, key_field_set outside, key_bounds& united,
             bool& uses_index) noexcept;
  class siblings;
  bool walk_branch(const pending_union& any, const wire::element& branch, siblings& others,
                   const place& within) noexcept;
  template <typename Visit>
  bool unite_branch(bounds_union& branches, key_field_set outside, bool& uses_index,
                    Visit visit) noexcept;
  [[nodiscard]] bool is_empty_beside(const key_bounds& branch) noexcept;
  void settle(key_bounds& bounds, const union_choice& choice) noexcept;
  [[nodiscard]] bool comes_first(const pending_union& any, union_choice& than) noexcept;
  [[nodiscard]] const match_node* outline(const pending_union& any) noexcept;

  bool fail(filter_fault fault) noexcept;
  void bound_pins() noexcept;
  void pay_for_predicate() noexcept {
    work_.charge(predicate_units + key_field_units * target_.key.size());
  }

  // filter_walk_path.cpp: predicates on one path
  bool walk_field(const match_path& path, const wire::element& value, const place& at) noexcept;
  bool walk_operators(const match_path& path, wire::document_view operators,
                      const place& at) noexcept;
  bool walk_operator(const match_path& path, const wire::element& predicate, siblings& others,
                     const place& at) noexcept;
  bool walk_bounding(field_operator op, const match_path& path, const wire::element& predicate,
                     siblings& others, const place& at) noexcept;
  bool walk_in(const match_path& path, const wire::element& list, bool excluded,
               const place& at) noexcept;
  bool walk_members(const match_path& path, const wire::element& list,
                    const place& at) noexcept;
  bool walk_elem_match(const match_path& path, const wire::element& condition,
                       const place& at) noexcept;
  bool walk_elem_match_value(const match_path& path, wire::document_view operators,
                             const place& at) noexcept;
  void bound_members(const match_path& path, const key_bounds& alone, const place& at) noexcept;
  [[nodiscard]] match_path path_below(const match_path& path) const noexcept;
  void bound(std::size_t field, const field_bounds& given, const place& at) noexcept;
  template <typename Bounds>
  void bound_same(const match_path& path, const place& at, Bounds bounds_of) noexcept;

  // filter_walk_path.cpp: what may pin the full key
  bool equality(const match_path& path, const wire::element& value, const place& at) noexcept;
  void pin_by_parent(std::size_t field, const wire::element& value, std::string_view rest,
                     const place& at) noexcept;
  void pin(std::size_t field, const wire::element& value, bool from_parent,
           const place& at) noexcept;

  // filter_walk_path.cpp: $expr
  bool take_expression(const wire::element& expression, const place& at) noexcept;
  bool walk_rewritten(const rewritten_expression& from, const place& at) noexcept;
  void take_constant(const wire::element& expression, const place& at) noexcept;
  void walk_comparison(const rewritten_expression& from, const place& at) noexcept;

  const collection& target_;
  const filter_rules rules_;
  scratch& memory_;
  const field_rules field_rules_;  ///< for a field that isn't hashed; see rules_of()
  wire::work_budget& work_;
  wire::depth_guard depth_;
  key_bounds bounds_;
  pending_unions unions_;
  key_pins pins_;
  filter_facts facts_;
  filter_fault fault_ = filter_fault::none;
  conjunct conjuncts_;  ///< from 8.0 on: the first of the list of added filters and fields
  conjunct* last_conjunct_ = nullptr;            ///< the last of the list; null: empty
  const pending_negation* negations_ = nullptr;  ///< the negations that wait for the form
  boolean_form form_ = boolean_form::original;
  bool is_formed_ = false;            ///< whether form_ is final
  std::uint8_t elements_ = 0;         ///< nesting depth of $elemMatch on values
  bool has_inner_negations_ = false;  ///< an $or has a negation of several comparisons
  std::uint64_t held_paths_ = 0;      ///< bits of paths with an equality, list or $exists
  std::uint64_t negated_paths_ = 0;   ///< bits of paths with the negation of one
  bool contradicts_ = false;          ///< the conditions outside all $ors contradict each other
  bool finished_ = false;
  bool is_planned_ = false;  ///< bounds and pins are those of the planned tree
  bool uses_index_ = false;
};

/// Adds bounds to the key field with this path, if there is one. `bounds_of` computes the
/// bounds from the field's rules.
template <typename Bounds>
void filter_walk::bound_same(const match_path& path, const place& at,
                             Bounds bounds_of) noexcept {
  if (path.outer != nullptr && !path.outer->reaches_key) return;
  std::string_view rest;
  for (std::size_t i = 0; i < target_.key.size(); ++i) {
    if (relate(path, target_.key[i].path, rest) != path_relation::same) continue;
    bound(i, bounds_of(rules_of(i)), at);
  }
}

}  // namespace scattergate::routing
