#include "routing/bounds/rewritten_expression.hpp"

#include <algorithm>
#include <array>

#include "routing/bounds/constants/constant_folding.hpp"
#include "routing/bounds/field_reference.hpp"
#include "routing/bounds/only_member.hpp"
#include "wire/metered_reader.hpp"

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

}  // namespace scattergate::routing
