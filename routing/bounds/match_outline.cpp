#include "routing/bounds/match_outline.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "routing/bounds/constants/constant_folding.hpp"
#include "routing/bounds/filter_parts.hpp"
#include "routing/bounds/match_draft.hpp"
#include "routing/bounds/match_operator.hpp"
#include "routing/bounds/neutral_truth.hpp"
#include "routing/bounds/simplification.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::routing {
namespace {

using wire::bson_type;
using wire::element;
using node = rewritten_expression;

/// The cost of a node in addition to reading it, in units of wire::work_budget.
constexpr std::size_t rewritten_node_units = 20;

/// The first versions that rewrite $gt, $gte, $lt and $lte, and $in.
constexpr server_version rewrites_ranges{5, 0};
constexpr server_version rewrites_lists{8, 1};

/// The first version that targets by an equality of a field's hash.
constexpr server_version finds_hashes{7, 0};

/// The first version that was seen to replace a $cond with a constant condition by the branch
/// that it chooses (mongo: expression.cpp, ExpressionCond::optimize).
constexpr server_version chooses_branches{8, 0};

/// The comparison with its operands exchanged.
field_operator mirrored(field_operator op) noexcept {
  switch (op) {
    case field_operator::gt:
      return field_operator::lt;
    case field_operator::gte:
      return field_operator::lte;
    case field_operator::lt:
      return field_operator::gt;
    case field_operator::lte:
      return field_operator::gte;
    default:
      return op;
  }
}

/// The operator `name` if this version rewrites it; `unknown` otherwise.
field_operator comparison_of(std::string_view name, server_version version) noexcept {
  const field_operator op = field_operator_of(name);
  switch (op) {
    case field_operator::eq:
      return op;
    case field_operator::gt:
    case field_operator::gte:
    case field_operator::lt:
    case field_operator::lte:
      return version >= rewrites_ranges ? op : field_operator::unknown;
    case field_operator::in:
      return version >= rewrites_lists ? op : field_operator::unknown;
    default:
      return field_operator::unknown;
  }
}

/// Whether a constant is true as a condition.
bool is_truthy(const folded& constant) noexcept {
  if (constant.is == folded::kind::some_date) return true;
  const bool is_logical =
      constant.value.is_number() || constant.value.type() == bson_type::boolean ||
      constant.value.type() == bson_type::null || constant.value.type() == bson_type::undefined;
  return constant.is_constant() && (!is_logical || constant.value.is_truthy());
}

/// Rewrites expressions. wire::limits::inspect_depth limits recursion, the work budget the
/// total work.
class expression_rewriting {
 public:
  /// `made`: null if nothing could be rewritten. `is_constant`: the expression is then
  /// constant.
  struct result {
    const node* made = nullptr;
    bool is_constant = false;
  };

  expression_rewriting(const let_variables* let, server_version version,
                       scratch& memory) noexcept
      : folding_(let, version, memory), version_(version), memory_(memory) {}

  /// An equality of a hash, {$eq: [{$toHashedIndexKey: "$path"}, NumberLong]}; null if
  /// `expression` isn't one. mongos rewrites it only as the whole $expr, and only in this order
  /// (mongo: compiler/rewrites/matcher/expression_optimizer.cpp at 1c287af,
  /// attemptToRewriteEqHash).
  const node* equality_of_hash(const element& expression) noexcept {
    const auto call = version_ < finds_hashes ? std::nullopt : first_field(expression);
    if (!call || call->key() != "$eq") return nullptr;
    wire::metered_reader reader{call->as_array().value_or(wire::document_view{}),
                                memory_.work()};
    std::array<element, 3> sides;
    std::size_t count = 0;
    while (count < sides.size() && reader.next(sides[count])) ++count;
    if (count != 2) return nullptr;
    auto hashing = first_field(sides[0]);
    if (!hashing || hashing->key() != "$toHashedIndexKey") return nullptr;
    if (const auto operands = hashing->as_array())
      hashing = only_member(*operands, memory_.work());
    const auto path = hashing ? path_of(*hashing) : std::nullopt;
    const folded constant = folding_.fold(sides[1]);
    const bool is_long = constant.is_constant() && constant.value.type() == bson_type::int64;
    if (!path || !is_long) return nullptr;
    return kept(
        {.is_hash = true, .op = field_operator::eq, .path = *path, .value = constant.value});
  }

  /// Rewrites an expression and those nested in it.
  result rewritten(const element& expression) noexcept {
    const auto call = first_field(expression);
    if (!depth_.enter()) return {};
    memory_.work().charge(rewritten_node_units);
    result found;
    const auto visit = [&](const element& in) { found = rewritten(in); };
    if (call && folding_.within_let(*call, visit)) {
      depth_.leave();
      return found;
    }
    if (call && (call->key() == "$and" || call->key() == "$or")) {
      found = joined(*call, call->key() == "$or" ? node::kind::any : node::kind::all);
    } else if (const auto branch = call ? chosen(*call) : std::nullopt) {
      found = rewritten(*branch);
    } else {
      const field_operator op =
          call ? comparison_of(call->key(), version_) : field_operator::unknown;
      if (op != field_operator::unknown) found.made = comparison(op, *call);
      if (found.made == nullptr) {
        found.is_constant = folding_.fold(expression).is != folded::kind::unknown;
      }
    }
    depth_.leave();
    return found;
  }

 private:
  std::optional<element> first_field(const element& expression) noexcept {
    const auto inner = expression.as_document();
    if (!inner) return std::nullopt;
    wire::metered_reader reader{*inner, memory_.work()};
    element first;
    if (!reader.next(first)) return std::nullopt;
    return first;
  }

  /// The branch that a $cond always chooses; std::nullopt if this depends on the document.
  std::optional<element> chosen(const element& call) noexcept {
    if (call.key() != "$cond" || version_ < chooses_branches) return std::nullopt;
    std::array<std::optional<element>, 3> parts;  // condition, then, else
    constexpr std::array<std::string_view, 3> names{"if", "then", "else"};
    wire::metered_reader reader{call.as_container().value_or(wire::document_view{}),
                                memory_.work()};
    std::size_t count = 0;
    for (element part; reader.next(part); ++count) {
      const auto named = std::ranges::find(names, part.key());
      const std::size_t place =
          call.is_array() ? count : static_cast<std::size_t>(named - names.begin());
      if (place >= parts.size()) return std::nullopt;
      parts[place] = part;
    }
    if (count != parts.size() || !parts[0] || !parts[1] || !parts[2]) return std::nullopt;
    const folded condition = folding_.fold(*parts[0]);
    if (condition.is == folded::kind::unknown || condition.is == folded::kind::varying) {
      return std::nullopt;
    }
    return parts[is_truthy(condition) ? 1 : 2];
  }

  node* kept(const node& made) noexcept {
    const auto room = memory_.allocate<node>(1);
    if (room.empty()) return nullptr;
    room[0] = made;
    return room.data();
  }

  /// Rewrites an $and or $or. Of an $and, keeps the members that can be rewritten; an $or is
  /// rewritten completely or not at all. If a member is constant, mongos rewrites the others
  /// differently, so nothing is kept.
  result joined(const element& list, node::kind how) noexcept {
    node whole;
    whole.is = how;
    node* last = nullptr;
    bool has_constant = false;
    bool is_all_constant = true;
    bool gives_up = false;
    const auto add = [&](const element& member) {
      const result found = rewritten(member);
      has_constant |= found.is_constant;
      is_all_constant &= found.is_constant;
      node* const one = found.made != nullptr ? kept(*found.made) : nullptr;
      gives_up |= one == nullptr && (how == node::kind::any || found.made != nullptr);
      if (one == nullptr) return;
      one->next = nullptr;
      (last != nullptr ? last->next : whole.first) = one;
      last = one;
    };
    if (const auto members = list.as_array()) {
      wire::metered_reader reader{*members, memory_.work()};
      for (element member; reader.next(member);) add(member);
    } else {
      add(list);
    }
    if (is_all_constant) return {nullptr, true};
    if (has_constant || gives_up || whole.first == nullptr) return {};
    return {kept(whole), false};
  }

  /// Rewrites a comparison of a field with a constant; null if it isn't one.
  const node* comparison(field_operator op, const element& operands) noexcept {
    const auto pair = operands.as_array();
    if (!pair) return nullptr;
    wire::metered_reader reader{*pair, memory_.work()};
    std::array<element, 3> sides;
    std::size_t count = 0;
    while (count < sides.size() && reader.next(sides[count])) ++count;
    if (count != 2 || reader.is_corrupt()) return nullptr;

    std::optional<std::string_view> path = path_of(sides[0]);
    const element* other = &sides[1];
    if (!path) {
      if (op == field_operator::in) return nullptr;
      path = path_of(sides[1]);
      other = &sides[0];
      op = mirrored(op);
    }
    return path ? with_constant(op, *path, folding_.fold(*other)) : nullptr;
  }

  static std::optional<std::string_view> path_of(const element& side) noexcept {
    return side.is_string() ? field_reference(side.as_string()) : std::nullopt;
  }

  /// Whether a list has only values that a filter matches as an expression does: no array, null
  /// or regex (mongo: compiler/rewrites/matcher/rewrite_expr.cpp at 0785196,
  /// _rewriteInExpression).
  bool is_plain(const element& list) noexcept {
    wire::metered_reader reader{list.as_array().value_or(wire::document_view{}),
                                memory_.work()};
    for (element member; reader.next(member);) {
      const bson_type type = member.type();
      if (type == bson_type::array || type == bson_type::null || type == bson_type::undefined ||
          type == bson_type::regex) {
        return false;
      }
    }
    return !reader.is_corrupt();
  }

  const node* with_constant(field_operator op, std::string_view path,
                            const folded& constant) noexcept {
    node made{.op = op, .path = path};
    switch (constant.is) {
      case folded::kind::constant: {
        made.value = constant.value;
        const bool is_list = constant.value.is_array();
        const bool is_nothing = constant.value.type() == bson_type::undefined;
        if (is_nothing || is_list != (op == field_operator::in)) return nullptr;
        return is_list && !is_plain(constant.value) ? nullptr : kept(made);
      }
      case folded::kind::varying:
        made.is = node::kind::varying;
        return op == field_operator::eq ? kept(made) : nullptr;
      case folded::kind::some_date:
        made.is = node::kind::some_date;
        return op == field_operator::in ? nullptr : kept(made);
      default:
        return nullptr;
    }
  }

  constant_folding folding_;
  server_version version_;
  scratch& memory_;
  wire::depth_guard depth_;
};

/// Evaluates expressions that don't depend on the document.
class truth_finding {
 public:
  truth_finding(const let_variables* let, server_version version, scratch& memory) noexcept
      : folding_(let, version, memory), work_(memory.work()) {}

  expression_truth of(const element& expression) noexcept {
    using enum expression_truth;
    if (!depth_.enter()) return unknown;
    const folded constant = folding_.fold(expression);
    expression_truth found = unknown;
    if (constant.is == folded::kind::varying) {
      found = varies;
    } else if (constant.is != folded::kind::unknown) {
      found = is_truthy(constant) ? holds : never;
    } else {
      found = of_call(expression);
    }
    depth_.leave();
    return found;
  }

 private:
  expression_truth of_call(const element& expression) noexcept {
    using enum expression_truth;
    const auto call = expression.as_document();
    element first;
    wire::metered_reader reader{call.value_or(wire::document_view{}), work_};
    if (call && reader.next(first) && (first.key() == "$and" || first.key() == "$or")) {
      return of_list(first, first.key() == "$and" ? never : holds);
    }
    return is_refused(first) || refers(expression) ? varies : unknown;
  }

  /// Whether a comparison doesn't have exactly two operands, so that mongos rejects it.
  bool is_refused(const element& call) noexcept {
    const field_operator op = field_operator_of(call.key());
    if (op == field_operator::unknown) return false;
    return !call.is_array() || wire::count_fields(*call.as_array(), work_).value_or(0) != 2;
  }

  /// Evaluates an $and or $or. One member with the value `decisive` decides the result. A
  /// member with an unknown value might decide it.
  expression_truth of_list(const element& list, expression_truth decisive) noexcept {
    using enum expression_truth;
    const auto members = list.as_array();
    if (!members) return of(list);
    bool is_known = true;
    bool is_constant = true;
    wire::metered_reader reader{*members, work_};
    for (element member; reader.next(member);) {
      const expression_truth one = of(member);
      if (one == decisive) return decisive;
      is_known &= one != unknown;
      is_constant &= one != varies;
    }
    if (!is_known) return unknown;
    if (!is_constant) return varies;
    return decisive == never ? holds : never;
  }

  /// Whether the expression may depend on the document, or may have a different value at each
  /// evaluation.
  bool refers(const element& expression) noexcept {
    if (expression.is_string()) return expression.as_string().starts_with('$');
    const std::string_view name = expression.key();
    if (name == "$literal" || name == "$const") return false;
    if (name == "$rand" || name == "$function" || name == "$meta") return true;
    const auto inner = expression.as_container();
    if (!inner) return false;
    if (!depth_.enter()) return true;
    bool found = false;
    wire::metered_reader reader{*inner, work_};
    for (element member; !found && reader.next(member);) found = refers(member);
    depth_.leave();
    return found;
  }

  constant_folding folding_;
  wire::work_budget& work_;
  wire::depth_guard depth_;
};

using wire::document_view;

/// The cost of building a node, sorting it among its siblings and examining it, in units of
/// wire::work_budget.
constexpr std::size_t outlined_node_units = 60;

match_kind kind_of(field_operator op, std::string_view name) noexcept {
  switch (op) {
    case field_operator::eq:
    case field_operator::ne:
      return match_kind::eq;
    case field_operator::gt:
      return match_kind::gt;
    case field_operator::gte:
      return match_kind::gte;
    case field_operator::lt:
      return match_kind::lt;
    case field_operator::lte:
      return match_kind::lte;
    case field_operator::exists:
      return match_kind::exists;
    case field_operator::type:
      return match_kind::type;
    case field_operator::mod:
      return match_kind::mod;
    case field_operator::regex:
      return match_kind::regex;
    case field_operator::near:
      return match_kind::near;
    default:
      break;
  }
  if (name == "$size") return match_kind::size;
  return name.starts_with("$bits") ? match_kind::bits : match_kind::geo;
}

/// Whether the operand of an $elemMatch is a filter on member documents, not operators on the
/// members themselves.
bool is_filter_on_members(document_view condition) noexcept {
  wire::document_reader reader{condition};
  element first;
  if (!reader.next(first)) return true;
  return !first.key().starts_with('$') ||
         field_operator_of(first.key()) == field_operator::unknown;
}

/// Builds the tree that mongos parses, and optimises each node once its children are built
/// (mongo: matcher/expression_tree.cpp, getOptimizer). wire::limits::inspect_depth limits
/// recursion, the work budget the total work. Functions return null or false on failure.
class outline_builder {
 public:
  outline_builder(const outline_rules& rules, scratch& memory) noexcept
      : rules_(rules), memory_(memory), work_(memory.work()) {}

  /// A filter.
  match_draft* filter(document_view from) noexcept {
    if (!depth_.enter()) return nullptr;
    match_draft made{match_kind::all};
    wire::metered_reader reader{from, work_};
    bool sound = true;
    for (element part; sound && reader.next(part);) sound = add_part(made, part);
    depth_.leave();
    if (!sound || reader.is_corrupt()) return nullptr;
    match_draft* const only = optimised(&made);
    return only == &made ? kept(made) : only;
  }

  /// The conjunction of all members of the list.
  match_draft* together(const conjunct* from) noexcept {
    match_draft* made = open(match_kind::all);
    for (; made != nullptr && from != nullptr; from = from->next) {
      const bool sound =
          from->part ? add_part(*made, *from->part) : add(*made, filter(from->filter));
      if (!sound) return nullptr;
    }
    return made != nullptr ? optimised(made) : nullptr;
  }

  /// The operators on one path.
  match_draft* operators(document_view from, std::string_view path) noexcept {
    match_draft* made = open(match_kind::all);
    if (made == nullptr || !add_operators(*made, from, path)) return nullptr;
    return optimised(made);
  }

  /// An $and, $or or $nor with these branches.
  match_draft* branches(match_kind kind, document_view from) noexcept {
    match_draft* made = open(kind);
    wire::metered_reader reader{from, work_};
    for (element branch; made != nullptr && reader.next(branch);) {
      const auto inner = branch.as_document();
      if (!inner || !add(*made, filter(*inner))) return nullptr;
    }
    return made != nullptr ? optimised(made) : nullptr;
  }

  /// The final tree, whose children are sorted.
  const match_node* finish(const match_draft* from) noexcept {
    if (from == nullptr || !depth_.enter()) return nullptr;
    const auto node = memory_.allocate<match_node>(1);
    const auto children = memory_.allocate<const match_node*>(from->count);
    bool sound = !node.empty() && children.size() == from->count;
    std::size_t i = 0;
    std::size_t size = 1;
    for (const match_draft* child = from->first; sound && child != nullptr;
         child = child->next) {
      children[i] = finish(child);
      sound = children[i] != nullptr;
      if (sound) size += children[i++]->size;
    }
    depth_.leave();
    if (!sound || !sort(children, size)) return nullptr;
    node[0] = {from->kind, from->path, children, size, from->source};
    return node.data();
  }

  /// The filter to which mongos rewrites an $expr.
  match_draft* rewritten(const rewritten_expression& from) noexcept {
    using kind = rewritten_expression::kind;
    if (from.is != kind::all && from.is != kind::any) return comparison(from);
    match_draft* made = open(from.is == kind::all ? match_kind::all : match_kind::any);
    if (made == nullptr || !depth_.enter()) return nullptr;
    bool sound = true;
    for (const auto* each = from.first; sound && each != nullptr; each = each->next) {
      sound = add(*made, rewritten(*each));
    }
    depth_.leave();
    return sound ? optimised(made) : nullptr;
  }

  /// A comparison to which mongos rewrites an $expr. It turns a list of one value into an
  /// equality.
  match_draft* comparison(const rewritten_expression& from) noexcept {
    const auto members = from.op == field_operator::in ? from.value.as_array() : std::nullopt;
    const auto only = members ? only_member(*members, work_) : std::nullopt;
    if (only) return open(match_kind::eq, from.path, *only);
    match_draft* made = open(kind_of_comparison(from), from.path, from.value);
    if (made != nullptr) made->rewritten = &from;
    return made;
  }

  static match_kind kind_of_comparison(const rewritten_expression& from) noexcept {
    if (from.is_hash) return match_kind::other;
    switch (from.op) {
      case field_operator::eq:
        return match_kind::internal_eq;
      case field_operator::gt:
        return match_kind::internal_gt;
      case field_operator::gte:
        return match_kind::internal_gte;
      case field_operator::lt:
        return match_kind::internal_lt;
      case field_operator::lte:
        return match_kind::internal_lte;
      default:
        return match_kind::in;
    }
  }

  /// Whether mongos may replace an $elemMatch by a constant.
  [[nodiscard]] bool has_doubt() const noexcept { return has_doubt_; }

 private:
  /// Sorts siblings. Siblings that compare equal have the same form, so their order doesn't
  /// matter. False if the budget doesn't suffice.
  bool sort(std::span<const match_node*> children, std::size_t size) noexcept {
    if (children.size() < 2) return true;
    work_.charge(size * static_cast<std::size_t>(std::bit_width(children.size())) * 4);
    if (work_.is_low()) return false;
    std::ranges::sort(children, [](const match_node* left, const match_node* right) {
      return compare(*left, *right) < 0;
    });
    return true;
  }

  match_draft* open(match_kind kind, std::string_view path = {},
                    const element& source = {}) noexcept {
    work_.charge(outlined_node_units);
    const auto made = memory_.allocate<match_draft>(1);
    if (made.empty()) return nullptr;
    made[0] = match_draft{kind, path, source};
    return made.data();
  }

  /// A copy in the scratch memory.
  match_draft* kept(const match_draft& node) noexcept {
    match_draft* made = open(node.kind);
    if (made != nullptr) *made = node;
    return made;
  }

  static bool add(match_draft& to, match_draft* child) noexcept {
    if (child != nullptr) to.add(child);
    return child != nullptr;
  }

  bool add_part(match_draft& to, const element& part) noexcept {
    if (!part.key().starts_with('$')) return add_field(to, part);
    const auto list = part.as_array();
    switch (tree_operator_of(part.key())) {
      case tree_operator::and_:
        return list && add(to, branches(match_kind::all, *list));
      case tree_operator::or_:
        return list && add(to, branches(match_kind::any, *list));
      case tree_operator::nor:
        return list && add(to, branches(match_kind::nor, *list));
      case tree_operator::expr:
        return add_expression(to, part);
      case tree_operator::text:
        return add(to, open(match_kind::text));
      case tree_operator::always_false:
        return add(to, open(match_kind::always_false));
      default:
        break;
    }
    return part.key() == "$comment" || add(to, open(kind_of_neutral(part), {}, part));
  }

  match_kind kind_of_neutral(const element& part) noexcept {
    const std::string_view name = part.key();
    if (name == "$where") return match_kind::where;
    if (name == "$alwaysTrue") return match_kind::always_true;
    if (name == "$sampleRate") return kind_of_rate(part);
    const neutral_truth truth = truth_of_neutral(part, true, rules_.version, work_);
    return truth == neutral_truth::never ? match_kind::always_false : match_kind::other;
  }

  match_kind kind_of_rate(const element& rate) noexcept {
    const auto constant = constant_of_sample_rate(rate);
    if (!constant || !simplifies()) return match_kind::expression;
    if (rules_.version < sees_never_member) {  // it may stay as it is
      has_doubt_ = true;
      return match_kind::other;
    }
    return *constant ? match_kind::always_true : match_kind::always_false;
  }

  /// Adds an $expr. mongos keeps it next to the comparisons to which it rewrites it, except for
  /// a comparison of a hash, which replaces it.
  bool add_expression(match_draft& to, const element& expression) noexcept {
    const auto* from = rewrite(expression, rules_.let, rules_.version, memory_);
    if (from != nullptr && from->is_hash) {
      return add(to, open(match_kind::other, {}, expression));
    }
    match_draft* made = open(match_kind::all);
    if (made == nullptr) return false;
    if (from != nullptr && !add(*made, rewritten(*from))) return false;
    return add(*made, open(kind_of_expression(expression, from), {}, expression)) &&
           add(to, optimised(made));
  }

  /// The kind of an $expr. One that mongos folds to a constant is always true or always false.
  match_kind kind_of_expression(const element& expression,
                                const rewritten_expression* from) noexcept {
    if (!simplifies() || !may_be_constant(from)) return match_kind::expression;
    using enum expression_truth;
    const expression_truth truth = truth_of(expression, rules_.let, rules_.version, memory_);
    if (truth == varies) return match_kind::expression;
    if (truth == unknown) return match_kind::other;
    return truth == holds ? match_kind::always_true : match_kind::always_false;
  }

  bool add_field(match_draft& to, const element& field) noexcept {
    if (field.type() == bson_type::regex) {
      return add(to, open(match_kind::regex, field.key(), field));
    }
    if (!is_operator_document(field)) return add(to, open(match_kind::eq, field.key(), field));
    return add_operators(to, *field.as_document(), field.key());
  }

  bool add_operators(match_draft& to, document_view operators, std::string_view path) noexcept {
    if (!depth_.enter()) return false;
    wire::metered_reader reader{operators, work_};
    bool sound = true;
    for (element one; sound && reader.next(one);) {
      sound = add_operator(to, one, path, operators);
    }
    depth_.leave();
    return sound && !reader.is_corrupt();
  }

  bool add_operator(match_draft& to, const element& one, std::string_view path,
                    document_view operators) noexcept {
    const field_operator op = field_operator_of(one.key());
    switch (op) {
      case field_operator::options:
        return true;
      case field_operator::ne:
        return add_not(to, open(match_kind::eq, path, one));
      case field_operator::exists: {
        match_draft* made = open(match_kind::exists, path, one);
        return one.is_truthy() ? add(to, made) : add_not(to, made);
      }
      case field_operator::in:
        return add(to, open(kind_of_list(one), path, one));
      case field_operator::nin:
        return add_not(to, open(kind_of_list(one), path, one));
      case field_operator::near:
        // $minDistance and $maxDistance belong to the $near next to them.
        if (simplifies() && one.key().ends_with("Distance")) return true;
        break;
      case field_operator::not_: {
        if (one.type() == bson_type::regex) {
          return add_not(to, open(match_kind::regex, path, one));
        }
        const auto inner = one.as_document();
        return inner && add_not(to, this->operators(*inner, path));
      }
      case field_operator::all:
        return add_members(to, one, path);
      case field_operator::elem_match:
        return add(to, elem_match(one, path));
      default:
        break;
    }
    if (one.key() == "$comment") return true;
    const bool is_internal = simplifies() && one.key().starts_with("$_internal");
    const match_kind kind = is_internal ? match_kind::other : kind_of(op, one.key());
    match_draft* made = open(kind, path, one);
    if (made != nullptr) made->operators = operators;
    return add(to, made);
  }

  /// The kind of an `$in`: a list of one value is an equality, a list of one regex is that
  /// regex.
  match_kind kind_of_list(const element& list) noexcept {
    const auto members = list.as_array();
    if (simplifies() && members && members->is_empty()) return match_kind::always_false;
    const auto only = members ? only_member(*members, work_) : std::nullopt;
    if (!only) return match_kind::in;
    return only->type() == bson_type::regex ? match_kind::regex : match_kind::eq;
  }

  bool add_not(match_draft& to, match_draft* child) noexcept {
    match_draft* made = open(match_kind::not_);
    return made != nullptr && add(*made, child) && add(to, optimised(made));
  }

  bool add_members(match_draft& to, const element& list, std::string_view path) noexcept {
    const auto members = list.as_array();
    match_draft* made = open(match_kind::all);
    if (!members || made == nullptr) return false;
    wire::metered_reader reader{*members, work_};
    for (element member; reader.next(member);) {
      match_draft* child = nullptr;
      if (is_operator_document(member)) {
        const auto condition = wire::find_field(*member.as_document(), "$elemMatch", work_);
        child = condition ? elem_match(*condition, path) : nullptr;
      } else {
        child = open(member.type() == bson_type::regex ? match_kind::regex : match_kind::eq,
                     path, member);
      }
      if (!add(*made, child)) return false;
    }
    return add(to, made->count == 0 ? open(match_kind::always_false) : optimised(made));
  }

  match_draft* elem_match(const element& condition, std::string_view path) noexcept {
    const auto inner = condition.as_document();
    if (!inner || !depth_.enter()) return nullptr;
    const bool on_members = is_filter_on_members(*inner);
    match_draft* made =
        open(on_members ? match_kind::elem_match_object : match_kind::elem_match_value, path,
             condition);
    bool sound = made != nullptr;
    if (sound) {
      sound = on_members ? add(*made, filter(*inner)) : add_operators(*made, *inner, {});
    }
    depth_.leave();
    if (!sound) return nullptr;
    return simplifies() && has_false_child(*made) ? never_member(*made) : made;
  }

  static bool has_false_child(const match_draft& node) noexcept {
    const match_draft* child = node.first;
    while (child != nullptr && !child->is_false()) child = child->next;
    return child != nullptr;
  }

  /// An $elemMatch with a part that is never true.
  match_draft* never_member(const match_draft& node) noexcept {
    const bool is_certain = rules_.version >= sees_never_member;
    has_doubt_ |= !is_certain;
    return open(is_certain ? match_kind::always_false : match_kind::other, node.path,
                node.source);
  }

  [[nodiscard]] bool simplifies() const noexcept {
    return rules_.version >= server_version{8, 0};
  }

  match_draft* optimised(match_draft* node) noexcept {
    if (simplifies()) node->fold_negation(rules_.version);
    node->simplify();
    if (node->is_wrapper()) return node->first;
    return !simplifies() || node->join_alternatives(memory_) ? node : nullptr;
  }

  outline_rules rules_;
  scratch& memory_;
  wire::work_budget& work_;
  wire::depth_guard depth_;
  bool has_doubt_ = false;
};

}  // namespace

const rewritten_expression* rewrite(const element& expression, const let_variables* let,
                                    server_version version, scratch& memory) noexcept {
  expression_rewriting rewriting{let, version, memory};
  const auto* hash = rewriting.equality_of_hash(expression);
  return hash != nullptr ? hash : rewriting.rewritten(expression).made;
}

expression_truth truth_of(const element& expression, const let_variables* let,
                          server_version version, scratch& memory) noexcept {
  return truth_finding{let, version, memory}.of(expression);
}

drafted_tree draft_of(const conjunct* conjuncts, const outline_rules& rules,
                      scratch& memory) noexcept {
  outline_builder builder{rules, memory};
  match_draft* const root = builder.together(conjuncts);
  return {root, builder.has_doubt()};
}

const match_node* sorted(const match_draft& from, scratch& memory) noexcept {
  return outline_builder{{}, memory}.finish(&from);
}

const match_node* outline_of(document_view filter, const outline_rules& rules,
                             scratch& memory) noexcept {
  outline_builder builder{rules, memory};
  return builder.finish(builder.filter(filter));
}

const match_node* outline_of_any(document_view branches, const outline_rules& rules,
                                 scratch& memory) noexcept {
  outline_builder builder{rules, memory};
  return builder.finish(builder.branches(match_kind::any, branches));
}

const match_node* outline_of(const rewritten_expression& from, scratch& memory) noexcept {
  outline_builder builder{{}, memory};
  return builder.finish(builder.rewritten(from));
}

const match_node* outline_of_operators(document_view operators, std::string_view path,
                                       const outline_rules& rules, scratch& memory) noexcept {
  outline_builder builder{rules, memory};
  return builder.finish(builder.operators(operators, path));
}

int compare(const match_node& left, const match_node& right) noexcept {
  if (left.kind != right.kind) return left.kind < right.kind ? -1 : 1;
  if (const int paths = left.path.compare(right.path); paths != 0) return paths;
  if (left.kind == match_kind::in) return 0;  // its values don't count
  const std::size_t common = std::min(left.children.size(), right.children.size());
  for (std::size_t i = 0; i < common; ++i) {
    const int found = compare(*left.children[i], *right.children[i]);
    if (found != 0) return found;
  }
  return static_cast<int>(left.children.size() > right.children.size()) -
         static_cast<int>(left.children.size() < right.children.size());
}

bool is_negatable(match_kind kind) noexcept {
  switch (kind) {
    case match_kind::eq:
    case match_kind::lte:
    case match_kind::lt:
    case match_kind::gt:
    case match_kind::gte:
    case match_kind::exists:
    case match_kind::in:
      return true;
    default:
      return false;
  }
}

}  // namespace scattergate::routing
