#pragma once

#include <optional>

#include "routing/bounds/filter_fault.hpp"
#include "routing/bounds/key_bounds.hpp"
#include "routing/bounds/let_variables.hpp"
#include "routing/bounds/match_path.hpp"
#include "routing/bounds/pending_unions.hpp"
#include "routing/bounds/simplification.hpp"
#include "routing/catalog/catalog.hpp"
#include "wire/metered_reader.hpp"

namespace scattergate::routing {

/// The parameters, besides the collection, that determine the meaning of a filter.
struct filter_rules {
  bool simple_collation = true;
  server_version version;
  const let_variables* let = nullptr;  ///< null: no variables
  bool trusts_hashes = false;  ///< hashes identify a chunk under any collation (findAndModify)
  bool is_stage = false;       ///< a $match: mongos rejects $where and $near there
  bool has_other_variables = false;  ///< expressions may name variables that `let` doesn't have
  bool may_not_simplify = false;     ///< for a filter joined by $lookup, and an upsert (mongo:
                                  ///< query/canonical_query.cpp, initCq: enableSimplification)
};

/// The cost of one predicate, in addition to reading it, in units of wire::work_budget.
inline constexpr std::size_t predicate_units = 14;
/// The cost of one predicate per key field, in units of wire::work_budget.
inline constexpr std::size_t key_field_units = 4;

/// The cost of a filter, in addition to its parts, in units of wire::work_budget.
inline constexpr std::size_t filter_units = 40;

/// The equalities that may pin the full key (mongo: update/path_support.cpp,
/// extractFullEqualityMatches).
struct key_pins {
  std::span<wire::element> values;  ///< per key field, valid where `pinned`
  key_field_set pinned;
  key_field_set from_parent;  ///< pinned by an equality with a parent document
  bool is_void = false;       ///< two equalities conflict, or one is below a key field: nothing
                              ///< counts as pinned
  bool repeated = false;      ///< two are identical; a simplified filter has just one
};

/// Facts about a filter, besides its bounds, that affect routing or advice.
struct filter_facts {
  reason leading_cause = reason::none;  ///< why a predicate on the first field doesn't bound it
  std::optional<wire::element> id;      ///< the equality on _id, if there is exactly one
  bool has_id = false;                  ///< there is an equality on _id, with any value
  bool ids_differ = false;  ///< there are several equalities on _id that mongos doesn't merge
  std::size_t other_predicates = 0;  ///< predicates other than that equality
  bool has_text = false;
  bool has_near = false;
  bool has_expression = false;   ///< an $expr anywhere
  bool or_lost_leading = false;  ///< an $or bounds the first field in some branches only
  bool has_logical_shards = false;
  bool has_only_listed = false;  ///< an $expr requires a field to be in a list of one value
  bool has_collapsed = false;  ///< an $or had all branches but one removed, and is replaced by
                               ///< that one
  bool has_denied_equality = false;  ///< the simplified form negates the negation of an
                                     ///< equality
  bool has_empty_branch = false;  ///< a branch of an $or contradicts itself, or the conditions
                                  ///< outside the $or
  /// The bounds of an $or may contradict others without mongos detecting it.
  bool has_unseen_branch = false;
  bool may_drop_branch = false;  ///< mongos may detect that a branch of an $or matches nothing,
                                 ///< or may simplify a negation
  bool may_pin_parent = false;   ///< an $or has an equality on a parent document of a key field
  bool has_union_choice = false;  ///< of several $ors mongos may plan one that bounds more
  bool has_alternatives = false;  ///< an $or with several branches, anywhere
  bool has_empty_list = false;    ///< `$in: []` or `$nin: []`, anywhere
  bool has_one_value = false;     ///< the branches of an $or leave one value of a field
  bool may_merge = false;         ///< mongos may drop predicates that stand next to their own
                                  ///< negation
  bool may_be_false = false;      ///< mongos may detect that nothing matches: no bounds, no pin
  bool may_deny_listed = false;  ///< an $expr's list of one value may become an equality that a
                                 ///< negation denies
  /// It is uncertain whether mongos simplifies the filter; the wider bounds of both are used.
  bool may_be_shorter = false;
  key_field_set varying;  ///< key fields compared with a variable that isn't constant
};

/// Computes the bounds of a collection's shard key from a filter, or from the conjunction of
/// several. Overview and example: filter_walk.cpp. Recursion is limited by the inspection
/// depth, total work by the scratch memory's work budget. When the budget is spent, the walk
/// ends as if it had read everything; the caller must check the budget. Thread-safety: as for
/// the scratch memory.
class filter_walk {
 public:
  filter_walk(const collection& target, const filter_rules& rules, scratch& memory) noexcept;

  /// Adds `filter` to the conjunction; false if it has a fault (see fault()).
  bool add(wire::document_view filter) noexcept;

  /// Adds one field of a filter to the conjunction; false if it has a fault (see fault()).
  bool add(const wire::element& part) noexcept;

  /// Adds an equality of `path` with a value that differs between documents.
  void add_varying(std::string_view path) noexcept;

  [[nodiscard]] filter_fault fault() const noexcept { return fault_; }
  [[nodiscard]] const collection& target() const noexcept { return target_; }
  [[nodiscard]] const filter_rules& rules() const noexcept { return rules_; }
  [[nodiscard]] const filter_facts& facts() const noexcept { return facts_; }
  [[nodiscard]] const key_pins& pins() const noexcept { return pins_; }

  /// Processes postponed conditions and returns the bounds, including the pinned fields. May
  /// find a fault.
  [[nodiscard]] key_bounds& finish() noexcept;

  /// Whether mongos detects, or may detect, that nothing can match.
  [[nodiscard]] bool may_be_never() const noexcept { return bounds_.is_false; }

  /// Records that mongos may detect that nothing can match.
  void doubt() noexcept {
    facts_.may_be_false = true;
    bounds_.is_false = true;
    pins_.is_void = true;
  }

  /// Whether finish() has postponed conditions to process, besides the pins.
  [[nodiscard]] bool is_unfinished() const noexcept {
    return unions_.first() != nullptr || needs_form() || facts_.has_only_listed;
  }

  /// Whether it is uncertain which equality pins: the bounds contradict each other, and mongos
  /// may turn a part of an $or into another equality. REQUIRES: finish() has been called.
  [[nodiscard]] bool may_pin_otherwise() noexcept;

  /// Whether an equality, a list or `$exists` on the path may stand anywhere in the filter.
  [[nodiscard]] bool may_name(std::string_view path) const noexcept {
    return ((held_paths_ | denied_paths_) & bit_of(path)) != 0;
  }

  /// Whether mongos may have removed a branch of an $or that the bounds depend on, and may
  /// therefore ask the first chunk's owner. REQUIRES: finish() has been called.
  [[nodiscard]] bool may_lose_branches() const noexcept {
    return facts_.has_collapsed || facts_.may_drop_branch ||
           (form_ != boolean_form::original && unions_.first() != nullptr);
  }

  /// Whether an index on the shard key could support the filter. If not, mongos asks all
  /// shards. REQUIRES: finish() has been called.
  [[nodiscard]] bool uses_index() const noexcept { return uses_index_; }

  [[nodiscard]] field_rules rules_of(std::size_t field) const noexcept {
    field_rules made = field_rules_;
    made.hashed = target_.key[field].hashed;
    return made;
  }

 private:
  /// The place and the way in which a predicate adds its bounds.
  struct place {
    key_bounds& bounds;
    pending_unions* unions = nullptr;  ///< null: only look for faults
    bool negated = false;
    bool may_pin = false;  ///< the predicate applies to the whole filter

    [[nodiscard]] place turned() const noexcept { return {bounds, unions, !negated, false}; }
    [[nodiscard]] place plain() const noexcept { return {bounds, unions, false, false}; }
  };
  [[nodiscard]] place top() noexcept {
    return {bounds_, &unions_, false, !pins_.values.empty()};
  }

  /// A negation that waits until the form in which mongos plans the filter is known.
  struct pending_denial {
    wire::element part;                ///< $nor, or the operand of $not
    const match_path* path = nullptr;  ///< for $not
    const pending_denial* next = nullptr;
  };

  // filter_walk.cpp: the tree of $and, $or and $nor
  bool walk(wire::document_view filter, const match_path* outer, const place& at) noexcept;
  bool walk_part(const wire::element& part, const match_path* outer, const place& at) noexcept;
  bool walk_tree(const wire::element& part, const match_path* outer, const place& at) noexcept;
  bool walk_all(wire::document_view branches, const match_path* outer,
                const place& at) noexcept;
  void walk_nothing(const place& at) noexcept;

  // filter_walk.cpp: negations
  bool walk_none(wire::document_view branches, const match_path* outer,
                 const place& at) noexcept;
  bool walk_aside(wire::document_view branches, const match_path* outer) noexcept;
  [[nodiscard]] bool sees_denial_of_all() noexcept;
  [[nodiscard]] boolean_form form_as_written() noexcept;
  bool walk_denied(const match_node* tree, const match_path* outer, const place& at) noexcept;
  bool walk_any_negated(wire::document_view parts, bool are_branches, const match_path* outer,
                        const place& at) noexcept;
  bool walk_operators_negated(const match_path& path, wire::document_view operators,
                              const place& at) noexcept;
  bool walk_not(const match_path& path, const wire::element& operand, const place& at) noexcept;
  [[nodiscard]] bool is_simplified(const match_path* outer) const noexcept;

  // filter_walk.cpp: the form in which mongos plans the filter, from 8.0 on
  void remember(const conjunct& one) noexcept;
  void note(std::string_view path, bool is_denied) noexcept {
    (is_denied ? denied_paths_ : held_paths_) |= bit_of(path);
  }
  [[nodiscard]] bool may_simplify() const noexcept {
    return rules_.version >= server_version{8, 0};
  }
  [[nodiscard]] bool awaits_form(const match_path* outer, const place& at) const noexcept;
  void postpone(const wire::element& part, const match_path* path) noexcept;
  [[nodiscard]] bool needs_form() const noexcept;
  [[nodiscard]] bool is_contradiction() const noexcept;
  [[nodiscard]] bool is_hash_of_collated() const noexcept;
  void learn_form() noexcept;
  bool read_denials() noexcept;
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
  void pay_for_predicate() noexcept {
    work_.charge(predicate_units + key_field_units * target_.key.size());
  }

  // filter_walk_path.cpp: predicates on one path
  bool walk_field(const match_path& path, const wire::element& value, const place& at) noexcept;
  bool walk_operators(const match_path& path, wire::document_view operators,
                      const place& at) noexcept;
  [[nodiscard]] bool empty_list_is_false() const noexcept;
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
  void bound(std::size_t field, const field_bounds& by, const place& at) noexcept;
  template <typename Bounds>
  void bound_same(const match_path& path, const place& at, Bounds bounds_of) noexcept;

  // filter_walk_path.cpp: what may pin the full key
  bool equality(const match_path& path, const wire::element& value, const place& at) noexcept;
  void note_id(const wire::element& value, bool is_plain) noexcept;
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
  const field_rules field_rules_;  ///< except what depends on the field
  wire::work_budget& work_;
  wire::depth_guard depth_;
  key_bounds bounds_;
  pending_unions unions_;
  key_pins pins_;
  filter_facts facts_;
  filter_fault fault_ = filter_fault::none;
  conjunct conjuncts_;  ///< from 8.0 on: the head of the list
  conjunct* last_conjunct_ = nullptr;
  const pending_denial* denials_ = nullptr;
  boolean_form form_ = boolean_form::original;
  bool is_formed_ = false;
  std::uint8_t elements_ = 0;       ///< nesting depth of $elemMatch on values
  bool has_inner_denials_ = false;  ///< an $or has a negation of more than one comparison
  std::uint64_t held_paths_ = 0;    ///< bits of paths with an equality, a list or $exists
  std::uint64_t denied_paths_ = 0;  ///< bits of paths with the negation of one of these
  bool contradicts_ = false;        ///< the conditions outside all $ors contradict each other
  int unseen_ = -1;                 ///< the field on which mongos doesn't detect contradictions
  bool finished_ = false;
  bool uses_index_ = false;
};

/// Bounds the key field with this path, if there is one.
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
