#include "sim/targeting/expression_rules.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace scattergate::sim {
namespace {

/// Whether the expression's value doesn't depend on the document.
bool is_constant(const value& expression, const filter_terms& terms) {
  if (const auto* text = expression.as<std::string>()) {
    if (!text->starts_with("$")) return true;
    if (!text->starts_with("$$")) return false;
    const std::string_view name = std::string_view{*text}.substr(2, text->find('.') - 2);
    return (name == "NOW" && terms.rules.knows_now) || terms.names.contains(name);
  }
  const auto both = [&terms](const value& each) { return is_constant(each, terms); };
  if (const auto* members = expression.as<array>()) {
    return std::all_of(members->begin(), members->end(), both);
  }
  const auto* content = expression.as<document>();
  return content == nullptr ||
         std::all_of(content->begin(), content->end(), [&](const field& each) {
           return each.name == "$literal" || is_constant(each.content, terms);
         });
}

struct comparison {
  std::string_view name;
  filter_kind kind;
  filter_kind turned;  ///< for `[constant, field]`
};

constexpr auto comparisons = std::to_array<comparison>({
    {"$eq", filter_kind::expression_equal, filter_kind::expression_equal},
    {"$lt", filter_kind::expression_less, filter_kind::expression_greater},
    {"$lte", filter_kind::expression_at_most, filter_kind::expression_at_least},
    {"$gt", filter_kind::expression_greater, filter_kind::expression_less},
    {"$gte", filter_kind::expression_at_least, filter_kind::expression_at_most},
});

std::optional<filter_node> rule_of_comparison(const comparison& which, const array& operands,
                                              const filter_terms& terms) {
  if (operands.size() != 2) return std::nullopt;
  if (which.kind != filter_kind::expression_equal && !terms.rules.bounds_by_order) {
    return std::nullopt;
  }
  const bool is_turned = path_of_field(operands[0]).empty();
  const std::string path = path_of_field(operands[is_turned ? 1 : 0]);
  const value& other = operands[is_turned ? 0 : 1];
  if (path.empty() || !is_constant(other, terms)) return std::nullopt;
  const outcome constant = constant_of(other, terms);
  if (!constant || constant->is<array>() || constant->is<undefined>()) return std::nullopt;
  return filter_node{is_turned ? which.turned : which.kind, path, *constant, {}};
}

/// A list with null, an array or a regular expression has another meaning in a filter.
std::optional<filter_node> rule_of_list(const array& operands, const filter_terms& terms) {
  if (operands.size() != 2 || !terms.rules.bounds_by_lists) return std::nullopt;
  const std::string path = path_of_field(operands[0]);
  if (path.empty()) return std::nullopt;
  const outcome list = constant_of(operands[1], terms);
  const auto* members = list ? list->as<array>() : nullptr;
  const auto differs = [](const value& each) {
    return each.is<array>() || each.is<null>() || each.is<undefined>() || each.is<regex>();
  };
  if (members == nullptr || std::ranges::any_of(*members, differs)) return std::nullopt;
  return filter_node{filter_kind::in, path, *members, {}};
}

/// For `$or` every branch must have a rule; for `$and` those that have one count. A constant
/// makes the whole constant, which has no rule, or is dropped; a single remaining branch is
/// only converted to a boolean, which has no rule either (mongo: ExpressionAnd::optimize,
/// ExpressionOr::optimize).
std::optional<filter_node> rule_of_logic(filter_kind kind, const array& operands,
                                         const filter_terms& terms) {
  filter_node out{kind};
  const auto is_left_out = [&](const value& each) { return is_constant(each, terms); };
  const auto constants = std::ranges::count_if(operands, is_left_out);
  if (constants > 0 && std::ssize(operands) - constants == 1) return std::nullopt;
  for (const value& each : operands) {
    if (is_constant(each, terms)) {
      const outcome constant = constant_of(each, terms);
      const bool is_true = constant && constant->is_truthy();
      if (is_true == (kind == filter_kind::any_of)) return std::nullopt;
      continue;
    }
    auto rule = rule_of_expression(each, terms);
    if (!rule && kind == filter_kind::any_of) return std::nullopt;
    if (rule) out.parts.push_back(std::move(*rule));
  }
  if (out.parts.empty()) return std::nullopt;
  return out;
}

/// The rule of the `in` of a `$let`, whose variables must all be constants.
std::optional<filter_node> rule_of_let(const value& operand, const filter_terms& terms) {
  const auto* content = operand.as<document>();
  const value* vars = content == nullptr ? nullptr : content->find("vars");
  const value* in = content == nullptr ? nullptr : content->find("in");
  const auto* bound = vars == nullptr ? nullptr : vars->as<document>();
  if (bound == nullptr || in == nullptr || !terms.rules.inlines_variables) return std::nullopt;
  filter_terms inside = terms;
  for (const field& each : *bound) {
    const outcome constant = constant_of(each.content, terms);
    if (!constant) return std::nullopt;
    inside.names.insert_or_assign(each.name, *constant);
  }
  return rule_of_expression(*in, inside);
}

}  // namespace

outcome constant_of(const value& expression, const filter_terms& terms) {
  if (!is_constant(expression, terms)) return std::nullopt;
  return evaluate(expression, scope{document{}, terms.names});
}

namespace {

/// Adds the paths that an expression reads. False if it reads the whole document, or isn't
/// deterministic.
bool add_paths(const value& expression, std::set<std::string>& out) {
  const auto below = [&out](const value& each) { return add_paths(each, out); };
  if (const auto* text = expression.as<std::string>()) {
    if (*text == "$$ROOT" || *text == "$$CURRENT") return false;
    if (std::string path = path_of_field(expression); !path.empty()) out.insert(path);
    return true;
  }
  if (const auto* members = expression.as<array>()) return std::ranges::all_of(*members, below);
  const auto* content = expression.as<document>();
  return content == nullptr || std::ranges::all_of(*content, [&](const field& each) {
           if (each.name == "$rand" || each.name == "$getField") return false;
           return each.name == "$literal" || below(each.content);
         });
}

}  // namespace

std::optional<std::set<std::string>> paths_of_expression(const value& expression) {
  std::set<std::string> out;
  if (!add_paths(expression, out)) return std::nullopt;
  return out;
}

std::string path_of_field(const value& expression) {
  const auto* text = expression.as<std::string>();
  if (text == nullptr || !text->starts_with('$')) return {};
  if (!text->starts_with("$$")) return text->substr(1);
  for (const std::string_view root : {"$$ROOT.", "$$CURRENT."}) {
    if (text->starts_with(root)) return text->substr(root.size());
  }
  return {};
}

std::optional<filter_node> rule_of_hash(const value& expression, const filter_terms& terms) {
  const auto* content = expression.as<document>();
  const value* eq = content == nullptr || content->size() != 1 ? nullptr : content->find("$eq");
  const auto* operands = eq == nullptr ? nullptr : eq->as<array>();
  if (!terms.rules.bounds_by_hashes || operands == nullptr || operands->size() != 2) {
    return std::nullopt;
  }
  const auto* call = operands->front().as<document>();
  const value* hashed =
      call == nullptr || call->size() != 1 ? nullptr : call->find("$toHashedIndexKey");
  if (hashed == nullptr) return std::nullopt;
  const auto* only = hashed->as<array>();
  if (only != nullptr && only->size() != 1) return std::nullopt;
  const std::string path = path_of_field(only == nullptr ? *hashed : only->front());
  const outcome hash = constant_of(operands->back(), terms);
  if (path.empty() || !hash || !hash->is<std::int64_t>()) return std::nullopt;
  return filter_node{filter_kind::equal_hash, path, *hash, {}};
}

std::optional<filter_node> rule_of_expression(const value& expression,
                                              const filter_terms& terms) {
  const auto* content = expression.as<document>();
  if (content == nullptr || content->size() != 1) return std::nullopt;
  const field& only = content->front();
  const array operands =
      only.content.is<array>() ? *only.content.as<array>() : array{only.content};
  if (only.name == "$and") return rule_of_logic(filter_kind::all_of, operands, terms);
  if (only.name == "$or") return rule_of_logic(filter_kind::any_of, operands, terms);
  if (only.name == "$let") return rule_of_let(only.content, terms);
  if (only.name == "$in") return rule_of_list(operands, terms);
  for (const comparison& each : comparisons) {
    if (each.name == only.name) return rule_of_comparison(each, operands, terms);
  }
  return std::nullopt;
}

}  // namespace scattergate::sim
