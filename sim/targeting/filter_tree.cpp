#include "sim/targeting/filter_tree.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>

#include "sim/query/matcher.hpp"
#include "sim/targeting/boolean_simplifier.hpp"
#include "sim/values/error.hpp"

namespace scattergate::sim {
namespace {

/// Merges the parts of nested `$and`s into an `$and`, and of nested `$or`s into an `$or`.
void absorb(filter_node& node) {
  const auto differs = [&node](const filter_node& each) { return each.kind != node.kind; };
  const auto first = std::stable_partition(node.parts.begin(), node.parts.end(), differs);
  std::vector<filter_node> absorbed;
  for (auto each = first; each != node.parts.end(); ++each) {
    std::move(each->parts.begin(), each->parts.end(), std::back_inserter(absorbed));
  }
  node.parts.erase(first, node.parts.end());
  std::move(absorbed.begin(), absorbed.end(), std::back_inserter(node.parts));
}

bool is_true(const filter_node& node) {
  return node.kind == filter_kind::always_true ||
         (node.kind == filter_kind::all_of && node.parts.empty());
}

bool is_false(const filter_node& node) {
  return node.kind == filter_kind::always_false;
}

/// `$in` with one value is an equality; with one regular expression, that expression.
void simplify_list(filter_node& node, const targeting_rules& rules) {
  const auto* members = node.operand.as<array>();
  if (members == nullptr) return;
  if (members->empty()) {
    if (rules.drops_empty_lists) node = {filter_kind::always_false};
    return;
  }
  value only = members->front();
  const auto is_same = [&only](const value& each) { return is_equal(each, only); };
  if (!std::ranges::all_of(*members, is_same)) return;
  if (only.is<regex>() && members->size() > 1) return;
  node.kind = only.is<regex>() ? filter_kind::regex : filter_kind::equal;
  node.operand = std::move(only);
}

/// Whether an equality, or a regular expression, can become a member of an `$in`.
bool is_joinable(const filter_node& node) {
  return node.kind == filter_kind::regex ||
         (node.kind == filter_kind::equal && !node.operand.is<regex>());
}

/// Combines the equalities of an `$or` on the same field into an `$in`.
filter_node with_lists(filter_node node, const targeting_rules& rules) {
  std::map<std::string, array> members;
  for (const filter_node& each : node.parts) {
    if (is_joinable(each)) members[each.path].push_back(each.operand);
  }
  std::erase_if(members, [](const auto& each) { return each.second.size() < 2; });
  if (members.empty()) return node;
  std::erase_if(node.parts, [&members](const filter_node& each) {
    return is_joinable(each) && members.contains(each.path);
  });
  std::vector<filter_node> lists;
  for (auto& [path, list] : members) {
    lists.push_back({filter_kind::in, path, std::move(list), {}});
  }
  if (node.parts.empty() && lists.size() == 1) {
    simplify_list(lists.front(), rules);
    return std::move(lists.front());
  }
  node.parts.insert(node.parts.begin(), std::make_move_iterator(lists.begin()),
                    std::make_move_iterator(lists.end()));
  return node;
}

filter_node simplified_group(filter_node node, const targeting_rules& rules) {
  const bool is_and = node.kind == filter_kind::all_of;
  absorb(node);
  std::erase_if(node.parts, is_and ? is_true : is_false);
  if (node.parts.empty() && !is_and) return {filter_kind::always_false};
  if (node.parts.size() == 1) {
    filter_node only = std::move(node.parts.front());
    return only;
  }
  if (std::ranges::any_of(node.parts, is_and ? is_false : is_true)) {
    return {is_and ? filter_kind::always_false : filter_kind::always_true};
  }
  if (!is_and && rules.joins_alternatives) return with_lists(std::move(node), rules);
  return node;
}

filter_node simplified_logic(filter_node node, const targeting_rules& rules) {
  if (node.kind == filter_kind::all_of || node.kind == filter_kind::any_of) {
    return simplified_group(std::move(node), rules);
  }
  if (rules.simplifies && node.kind == filter_kind::none_of) {
    std::erase_if(node.parts, is_false);
    if (node.parts.empty()) return {filter_kind::all_of};
  }
  if (rules.folds_negations) {
    const bool is_sure = node.kind == filter_kind::negation && is_false(node.parts.front());
    if (is_sure) return {filter_kind::all_of};
  }
  // In 8.0 only a `$nor` of several parts (mongo 20d496847ce: expression_tree.cpp,
  // ListOfMatchExpression::getOptimizer).
  const bool is_nor = node.kind == filter_kind::none_of;
  const bool folds_truth =
      is_nor ? rules.folds_nor_of_one || (rules.simplifies && node.parts.size() > 1)
             : rules.folds_negations;
  if (folds_truth && std::ranges::any_of(node.parts, is_true)) {
    return {filter_kind::always_false};
  }
  // A `$nor` of one part is its negation, which can bound a field.
  if (node.kind == filter_kind::none_of && node.parts.size() == 1) {
    node.kind = filter_kind::negation;
  }
  return node;
}

bool is_in_array(filter_kind kind) {
  return kind == filter_kind::some_document || kind == filter_kind::some_value;
}

filter_node simplified_below(filter_node node, const targeting_rules& rules) {
  if (node.kind == filter_kind::expression) {
    // Its conditions on fields are its siblings from now on.
    node.kind = filter_kind::all_of;
    node.parts.push_back({filter_kind::other, "$expr", std::move(node.operand), {}});
    node.operand = {};
  }
  for (filter_node& each : node.parts) each = simplified_below(std::move(each), rules);
  if (is_logic(node.kind)) return simplified_logic(std::move(node), rules);
  if (node.kind == filter_kind::in) simplify_list(node, rules);
  if (rules.folds_negations && is_in_array(node.kind) &&
      std::ranges::any_of(node.parts, is_false)) {
    return {filter_kind::always_false};
  }
  return node;
}

bool is_compared_expression(const filter_node& node) {
  return node.kind >= filter_kind::expression_equal;
}

/// A filter not worth optimising (mongo: isTriviallySimple).
bool is_trivial(const filter_node& node) {
  const auto& parts = node.parts;
  if (parts.size() == 2) return std::ranges::any_of(parts, is_compared_expression);
  return parts.empty() || (parts.size() == 1 && parts.front().parts.empty());
}

int compare_nodes(const filter_node& left, const filter_node& right) {
  if (left.kind != right.kind) return left.kind < right.kind ? -1 : 1;
  if (const int by_path = left.path.compare(right.path); by_path != 0) return by_path;
  const std::size_t common = std::min(left.parts.size(), right.parts.size());
  for (std::size_t i = 0; i < common; ++i) {
    const int by_part = compare_nodes(left.parts[i], right.parts[i]);
    if (by_part != 0) return by_part;
  }
  if (left.parts.size() == right.parts.size()) return 0;
  return left.parts.size() < right.parts.size() ? -1 : 1;
}

void sort_parts(filter_node& node) {
  for (filter_node& each : node.parts) sort_parts(each);
  std::stable_sort(node.parts.begin(), node.parts.end(),
                   [](const filter_node& left, const filter_node& right) {
                     return compare_nodes(left, right) < 0;
                   });
}

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
  const value* in = content == nullptr ? nullptr : content->find("in");
  const auto* bound = content == nullptr ? nullptr : content->find_as<document>("vars");
  if (bound == nullptr || in == nullptr || !terms.rules.inlines_variables) return std::nullopt;
  filter_terms inside = terms;
  for (const field& each : *bound) {
    const outcome constant = constant_of(each.content, terms);
    if (!constant) return std::nullopt;
    inside.names.insert_or_assign(each.name, *constant);
  }
  return rule_of_expression(*in, inside);
}

struct operator_kind {
  std::string_view name;
  filter_kind kind;
};

/// The operators fully described by their operand.
constexpr auto simple_operators = std::to_array<operator_kind>({
    {"$eq", filter_kind::equal},
    {"$lte", filter_kind::at_most},
    {"$lt", filter_kind::less},
    {"$gt", filter_kind::greater},
    {"$gte", filter_kind::at_least},
    {"$mod", filter_kind::mod},
    {"$in", filter_kind::in},
    {"$size", filter_kind::size},
    {"$type", filter_kind::type},
    {"$bitsAllSet", filter_kind::bits},
    {"$bitsAllClear", filter_kind::bits},
    {"$bitsAnySet", filter_kind::bits},
    {"$bitsAnyClear", filter_kind::bits},
});

filter_node leaf(filter_kind kind, const std::string& path, value operand) {
  return {kind, path, std::move(operand), {}};
}

filter_node group(filter_kind kind, std::vector<filter_node> parts) {
  return {kind, {}, {}, std::move(parts)};
}

filter_node negated(filter_node part) {
  filter_node out = group(filter_kind::negation, {});
  out.parts.push_back(std::move(part));
  return out;
}

class filter_reader {
 public:
  explicit filter_reader(const filter_terms& terms) : terms_(terms) {}

  [[nodiscard]] filter_node read(const document& filter) const {
    filter_node out;
    for (const field& each : filter) {
      if (each.name.starts_with('$')) {
        read_logic(each, out.parts);
      } else {
        read_field(each, out.parts);
      }
    }
    return out;
  }

 private:
  void read_logic(const field& each, std::vector<filter_node>& out) const {
    if (each.name == "$and") return out.push_back(branches(filter_kind::all_of, each.content));
    if (each.name == "$or") return out.push_back(branches(filter_kind::any_of, each.content));
    if (each.name == "$nor") return out.push_back(branches(filter_kind::none_of, each.content));
    if (each.name == "$comment") return;
    if (each.name == "$alwaysFalse") return out.push_back(group(filter_kind::always_false, {}));
    if (each.name == "$alwaysTrue") return out.push_back(group(filter_kind::always_true, {}));
    if (each.name == "$expr") return out.push_back(expression(each.content));
    if (each.name == "$sampleRate") return out.push_back(sample(each.content));
    out.push_back(leaf(filter_kind::other, each.name, each.content));
  }

  /// An `$expr`: a constant one if it passes all or nothing (mongo: expression_parser.cpp,
  /// parseSampleRate).
  [[nodiscard]] filter_node sample(const value& rate) const {
    const double share = rate.as_double();
    const bool is_constant = share == 0 || share == 1;
    return is_constant ? expression(share == 1) : leaf(filter_kind::other, "$sampleRate", rate);
  }

  [[nodiscard]] filter_node expression(const value& operand) const {
    const outcome constant =
        terms_.rules.folds_negations ? constant_of(operand, terms_) : std::nullopt;
    if (constant) {
      return group(constant->is_truthy() ? filter_kind::always_true : filter_kind::always_false,
                   {});
    }
    if (auto hash = rule_of_hash(operand, terms_)) return std::move(*hash);
    filter_node out = leaf(filter_kind::expression, {}, operand);
    if (auto rule = rule_of_expression(operand, terms_)) out.parts.push_back(std::move(*rule));
    return out;
  }

  [[nodiscard]] filter_node branches(filter_kind kind, const value& operand) const {
    filter_node out = group(kind, {});
    const auto* members = operand.as<array>();
    if (members == nullptr) return out;
    for (const value& each : *members) {
      if (const auto* inner = each.as<document>()) out.parts.push_back(read(*inner));
    }
    return out;
  }

  void read_field(const field& each, std::vector<filter_node>& out) const {
    if (is_operator_document(each.content)) {
      read_operators(each.name, *each.content.as<document>(), out);
    } else {
      out.push_back(value_leaf(each.name, each.content));
    }
  }

  void read_operators(const std::string& path, const document& operators,
                      std::vector<filter_node>& out) const {
    for (const field& each : operators) {
      if (each.name == "$regex") {
        out.push_back(value_leaf(path, pattern_of(operators)));
      } else if (auto part = read_operator(path, each)) {
        out.push_back(std::move(*part));
      }
    }
  }

  [[nodiscard]] std::optional<filter_node> read_operator(const std::string& path,
                                                         const field& each) const {
    for (const auto& [name, kind] : simple_operators) {
      if (each.name != name) continue;
      const bool names_itself = kind == filter_kind::bits;
      filter_node made = leaf(kind, path, names_itself ? document{each} : each.content);
      made.by_operator = kind == filter_kind::equal;
      return made;
    }
    if (each.name == "$ne") return negated(leaf(filter_kind::equal, path, each.content));
    if (each.name == "$nin") return negated(leaf(filter_kind::in, path, each.content));
    if (each.name == "$not") return negated(read_negated(path, each.content));
    if (each.name == "$all") return read_all(path, each.content);
    if (each.name == "$elemMatch") return read_member(path, each.content);
    if (each.name != "$exists") return std::nullopt;
    filter_node exists = leaf(filter_kind::exists, path, {});
    return each.content.is_truthy() ? exists : negated(std::move(exists));
  }

  [[nodiscard]] filter_node read_negated(const std::string& path, const value& operand) const {
    if (operand.is<regex>()) return value_leaf(path, operand);
    filter_node out;
    if (const auto* inner = operand.as<document>()) read_operators(path, *inner, out.parts);
    return out;
  }

  [[nodiscard]] filter_node read_all(const std::string& path, const value& operand) const {
    filter_node out;
    const auto* members = operand.as<array>();
    if (members == nullptr || members->empty()) return group(filter_kind::always_false, {});
    for (const value& each : *members) {
      const auto* inner = each.as<document>();
      if (inner != nullptr && !inner->empty() && inner->front().name == "$elemMatch") {
        out.parts.push_back(read_member(path, inner->front().content));
      } else {
        out.parts.push_back(value_leaf(path, each));
      }
    }
    return out;
  }

  [[nodiscard]] filter_node read_member(const std::string& path, const value& operand) const {
    const auto* inner = operand.as<document>();
    filter_node out = leaf(filter_kind::some_document, path, {});
    if (inner == nullptr) return out;
    const bool is_filter = !is_operator_document(operand) || is_logic_name(inner->front().name);
    if (is_filter) {
      out.parts.push_back(read(*inner));
    } else {
      out.kind = filter_kind::some_value;
      read_operators({}, *inner, out.parts);
    }
    return out;
  }

  static bool is_logic_name(std::string_view name) {
    return name == "$and" || name == "$or" || name == "$nor" || name == "$where";
  }

  /// An equality, or a match with a regular expression. Throws command_failure if this version
  /// rejects an option of the expression.
  [[nodiscard]] filter_node value_leaf(const std::string& path, const value& operand) const {
    const auto* pattern = operand.as<regex>();
    if (pattern == nullptr) return leaf(filter_kind::equal, path, operand);
    if (terms_.rules.rejects_regex_options &&
        pattern->options.find_first_not_of("imsxu") != std::string::npos) {
      refuse(51108, "invalid flag in regex options: " + pattern->options);
    }
    return leaf(filter_kind::regex, path, operand);
  }

  static value pattern_of(const document& operators) {
    const value& given = *operators.find("$regex");
    regex out;
    if (const auto* pattern = given.as<regex>()) out = *pattern;
    if (const auto* text = given.as<std::string>()) out.pattern = *text;
    const value* options = operators.find("$options");
    const auto* flags = as<std::string>(options);
    if (flags != nullptr) out.options = *flags;
    return out;
  }

  const filter_terms& terms_;
};

}  // namespace

bool is_equivalent(const filter_node& left, const filter_node& right) {
  return left.kind == right.kind && left.path == right.path &&
         compare(left.operand, right.operand) == 0 &&
         std::ranges::equal(left.parts, right.parts, is_equivalent);
}

bool is_logic(filter_kind kind) noexcept {
  return kind == filter_kind::all_of || kind == filter_kind::any_of ||
         kind == filter_kind::none_of || kind == filter_kind::negation;
}

filter_node simplified(filter_node filter, const targeting_rules& rules) {
  filter_node out = simplified_below(std::move(filter), rules);
  if (rules.simplifies && !is_trivial(out)) {
    if (auto shorter = boolean_simplified(out)) out = std::move(*shorter);
  }
  sort_parts(out);
  return out;
}

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
  const auto* operands = as<array>(eq);
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

filter_node read_filter(const document& filter, const filter_terms& terms) {
  return filter_reader{terms}.read(filter);
}

}  // namespace scattergate::sim
