#include "sim/query/expression.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <unordered_map>

#include "sim/values/bson_codec.hpp"
#include "sim/values/error.hpp"
#include "sim/values/hashing.hpp"
#include "sim/values/path.hpp"

namespace scattergate::sim {
namespace {

/// "$a.b" over arrays collects the members' values, unlike a filter's path.
outcome follow(const value& at, path_view path) {
  if (path.empty()) return at;
  if (const auto* inner = at.as<document>()) {
    const value* next = inner->find(path.front());
    if (next == nullptr) return std::nullopt;
    return follow(*next, path.subspan(1));
  }
  const auto* members = at.as<array>();
  if (members == nullptr) return std::nullopt;
  array gathered;
  for (const value& member : *members) {
    if (auto found = follow(member, path)) gathered.push_back(std::move(*found));
  }
  return value{std::move(gathered)};
}

outcome follow_field(const document& root, path_view path) {
  const value* first = root.find(path.front());
  if (first == nullptr) return std::nullopt;
  return follow(*first, path.subspan(1));
}

outcome evaluate_variable(std::string_view text, const scope& in) {
  const auto path = split_path(text);
  const path_view rest = path_view{path}.subspan(1);
  if (path.front() == "ROOT" || path.front() == "CURRENT") {
    return rest.empty() ? outcome{in.root} : follow_field(in.root, rest);
  }
  if (path.front() == "REMOVE") return std::nullopt;
  if (path.front() == "NOW") return value{date{now_millis()}};
  const auto known = in.names.find(path.front());
  if (known == in.names.end()) refuse(17276, "Use of undefined variable: " + path.front());
  return follow(known->second, rest);
}

outcome evaluate_text(const std::string& text, const scope& in) {
  if (text.starts_with("$$")) return evaluate_variable(std::string_view{text}.substr(2), in);
  if (text.starts_with('$')) {
    return follow_field(in.root, split_path(std::string_view{text}.substr(1)));
  }
  return text;
}

bool is_nullish(const outcome& result) {
  return !result || result->is<null>() || result->is<undefined>();
}

bool is_true(const outcome& result) {
  return result && result->is_truthy();
}

/// Size limits for operators that concatenate.
constexpr std::size_t max_text_bytes = 16 * 1024 * 1024;
constexpr std::size_t max_members = 1'000'000;

/// The evaluated operands of an operator.
using operands = std::vector<outcome>;

const value& number(const outcome& result) {
  if (!result || !result->is_number()) {
    refuse(errc::type_mismatch, "expression supports only numeric types");
  }
  return *result;
}

/// A missing field sorts below null, as undefined does.
std::weak_ordering order_of(const operands& both) {
  return compare(both[0].value_or(undefined{}), both[1].value_or(undefined{}));
}

outcome subtract(const operands& both) {
  const auto* left = both[0]->as<date>();
  const auto* right = both[1]->as<date>();
  if (left != nullptr && right != nullptr) {
    return add(left->millis, multiply(right->millis, std::int32_t{-1}));
  }
  return add(number(both[0]), multiply(number(both[1]), std::int32_t{-1}));
}

outcome divide(const operands& both) {
  if (number(both[1]).as_double() == 0) refuse("can't $divide by zero");
  return number(both[0]).as_double() / number(both[1]).as_double();
}

outcome remainder_of(const operands& both) {
  if (number(both[1]).as_double() == 0) refuse("can't $mod by zero");
  if (both[0]->is_integer() && both[1]->is_integer()) {
    return both[1]->as_int64() == -1 ? std::int64_t{0}
                                     : both[0]->as_int64() % both[1]->as_int64();
  }
  return std::fmod(both[0]->as_double(), both[1]->as_double());
}

outcome if_null(const operands& all) {
  if (all.size() < 2) refuse("$ifNull needs at least two arguments");
  return *std::find_if_not(all.begin(), all.end() - 1, is_nullish);
}

outcome concatenated(const operands& all) {
  std::string out;
  for (const outcome& each : all) {
    const auto* text = each->as<std::string>();
    if (text == nullptr) refuse("$concat only supports strings");
    out += *text;
    if (out.size() > max_text_bytes) refuse("$concat made too long a string");
  }
  return out;
}

std::string text_of_result(const outcome& result) {
  if (is_nullish(result)) return {};
  if (const auto* text = result->as<std::string>()) return *text;
  if (const auto* id = result->as<object_id>()) {
    return hex({reinterpret_cast<const char*>(id->bytes.data()), id->bytes.size()});
  }
  if (result->is_integer()) return std::to_string(result->as_int64());
  if (const auto* flag = result->as<bool>()) return *flag ? "true" : "false";
  std::string json = to_json({{"v", *result}});
  const std::size_t from = json.find(':') + 2;
  return json.substr(from, json.size() - from - 2);
}

outcome in_case(const outcome& result, int (*convert)(int)) {
  std::string text = text_of_result(result);
  for (char& each : text) {
    each = static_cast<char>(convert(static_cast<unsigned char>(each)));
  }
  return text;
}

const array& list_of(const outcome& result, const char* name) {
  const auto* members = result ? result->as<array>() : nullptr;
  if (members == nullptr) refuse(std::string{"The argument to "} + name + " must be an array");
  return *members;
}

outcome list_item(const array& members, std::int64_t index) {
  const auto size = static_cast<std::int64_t>(members.size());
  if (index < 0) index += size;
  if (index < 0 || index >= size) return std::nullopt;
  return members[static_cast<std::size_t>(index)];
}

outcome is_in(const operands& both) {
  const value searched = both[0].value_or(undefined{});
  return std::ranges::any_of(list_of(both[1], "$in"), [&searched](const value& each) {
    return is_equal(each, searched);
  });
}

outcome joined_lists(const operands& all) {
  array out;
  for (const outcome& each : all) {
    const array& members = list_of(each, "$concatArrays");
    out.insert(out.end(), members.begin(), members.end());
    if (out.size() > max_members) refuse("$concatArrays made too long an array");
  }
  return out;
}

outcome merged(const operands& all) {
  document out;
  for (const outcome& each : all) {
    if (is_nullish(each)) continue;
    const auto* inner = each->as<document>();
    if (inner == nullptr) refuse("$mergeObjects requires object inputs");
    for (const field& part : *inner) out.set(part.name, part.content);
  }
  return out;
}

outcome choose(const value& operand, const scope& in) {
  if (const auto* named = operand.as<document>()) {
    const value* test = named->find("if");
    const value* then = named->find("then");
    const value* otherwise = named->find("else");
    if (test == nullptr || then == nullptr || otherwise == nullptr) {
      refuse("$cond needs if, then and else");
    }
    return evaluate(is_true(evaluate(*test, in)) ? *then : *otherwise, in);
  }
  const auto* three = operand.as<array>();
  if (three == nullptr || three->size() != 3) refuse("$cond takes exactly 3 arguments");
  return evaluate((*three)[is_true(evaluate((*three)[0], in)) ? 1 : 2], in);
}

outcome let(const value& operand, const scope& in) {
  const auto* content = operand.as<document>();
  const value* inside = content == nullptr ? nullptr : content->find("in");
  const auto* bound = content == nullptr ? nullptr : content->find_as<document>("vars");
  if (bound == nullptr || inside == nullptr) refuse("$let requires vars and in");
  variables names = in.names;
  for (const field& each : *bound) {
    names.erase(each.name);
    if (auto found = evaluate(each.content, in)) names.emplace(each.name, std::move(*found));
  }
  return evaluate(*inside, scope{in.root, names});
}

constexpr std::size_t any_number = 0;

struct operation {
  std::string_view name;
  std::size_t count;  ///< of operands
  bool passes_null;   ///< the result is null if an operand is null or missing
  outcome (*run)(const operands&);
};

/// The operators that evaluate all their operands.
constexpr auto operations = std::to_array<operation>({
    {"$eq", 2, false, [](const operands& of) -> outcome { return order_of(of) == 0; }},
    {"$ne", 2, false, [](const operands& of) -> outcome { return order_of(of) != 0; }},
    {"$gt", 2, false, [](const operands& of) -> outcome { return order_of(of) > 0; }},
    {"$gte", 2, false, [](const operands& of) -> outcome { return order_of(of) >= 0; }},
    {"$lt", 2, false, [](const operands& of) -> outcome { return order_of(of) < 0; }},
    {"$lte", 2, false, [](const operands& of) -> outcome { return order_of(of) <= 0; }},
    {"$cmp", 2, false,
     [](const operands& of) -> outcome {
       const auto order = order_of(of);
       return std::int32_t{order < 0 ? -1 : (order > 0 ? 1 : 0)};
     }},
    {"$and", any_number, false,
     [](const operands& of) -> outcome { return std::ranges::all_of(of, is_true); }},
    {"$or", any_number, false,
     [](const operands& of) -> outcome { return std::ranges::any_of(of, is_true); }},
    {"$not", 1, false, [](const operands& of) -> outcome { return !is_true(of[0]); }},
    {"$add", any_number, true,
     [](const operands& of) -> outcome {
       value sum = std::int32_t{0};
       for (const outcome& each : of) sum = add(sum, number(each));
       return sum;
     }},
    {"$multiply", any_number, true,
     [](const operands& of) -> outcome {
       value product = std::int32_t{1};
       for (const outcome& each : of) product = multiply(product, number(each));
       return product;
     }},
    {"$subtract", 2, true, subtract},
    {"$divide", 2, true, divide},
    {"$mod", 2, true, remainder_of},
    {"$floor", 1, true,
     [](const operands& of) -> outcome {
       return number(of[0]).is_integer() ? of[0] : std::floor(of[0]->as_double());
     }},
    {"$ceil", 1, true,
     [](const operands& of) -> outcome {
       return number(of[0]).is_integer() ? of[0] : std::ceil(of[0]->as_double());
     }},
    {"$abs", 1, true,
     [](const operands& of) -> outcome {
       const bool is_negative = number(of[0]).as_long_double() < 0;
       return is_negative ? multiply(*of[0], std::int32_t{-1}) : *of[0];
     }},
    {"$ifNull", any_number, false, if_null},
    {"$concat", any_number, true, concatenated},
    {"$toString", 1, true, [](const operands& of) -> outcome { return text_of_result(of[0]); }},
    {"$toLower", 1, false, [](const operands& of) { return in_case(of[0], std::tolower); }},
    {"$toUpper", 1, false, [](const operands& of) { return in_case(of[0], std::toupper); }},
    {"$size", 1, false,
     [](const operands& of)
         -> outcome { return static_cast<std::int32_t>(list_of(of[0], "$size").size()); }},
    {"$isArray", 1, false,
     [](const operands& of) -> outcome { return of[0] && of[0]->is<array>(); }},
    {"$in", 2, false, is_in},
    {"$arrayElemAt", 2, true,
     [](const operands&
            of) { return list_item(list_of(of[0], "$arrayElemAt"), number(of[1]).as_int64()); }},
    {"$first", 1, true,
     [](const operands& of) { return list_item(list_of(of[0], "$first"), 0); }},
    {"$last", 1, true,
     [](const operands& of) { return list_item(list_of(of[0], "$last"), -1); }},
    {"$concatArrays", any_number, true, joined_lists},
    {"$type", 1, false,
     [](const operands& of)
         -> outcome { return std::string{of[0] ? type_alias(of[0]->type()) : "missing"}; }},
    {"$mergeObjects", any_number, false, merged},
    // A missing field hashes as null does (mongo: expression.cpp, ExpressionToHashedIndexKey).
    {"$toHashedIndexKey", 1, false,
     [](const operands& of) -> outcome { return key_hash(of[0].value_or(null{})); }},
});

/// The operators that decide themselves what they evaluate.
constexpr auto lazy_operations =
    std::to_array<std::pair<std::string_view, outcome (*)(const value&, const scope&)>>({
        {"$literal", [](const value& operand, const scope&) -> outcome { return operand; }},
        {"$cond", choose},
        {"$let", let},
    });

const operation* find_operation(std::string_view name) {
  static const auto known = [] {
    std::unordered_map<std::string_view, const operation*> out;
    for (const operation& each : operations) out.emplace(each.name, &each);
    return out;
  }();
  const auto found = known.find(name);
  return found == known.end() ? nullptr : found->second;
}

[[noreturn]] void refuse_operator(const std::string& name) {
  refuse(errc::invalid_pipeline_operator,
         "Unrecognized expression '" + name + "'" + see_limits);
}

outcome run_operator(const field& call, const scope& in) {
  if (const auto lazy = find_function(lazy_operations, call.name))
    return lazy(call.content, in);
  const operation* how = find_operation(call.name);
  if (how == nullptr) refuse_operator(call.name);
  operands all;
  if (const auto* several = call.content.as<array>()) {
    for (const value& each : *several) all.push_back(evaluate(each, in));
  } else {
    all.push_back(evaluate(call.content, in));
  }
  if (how->count != any_number && all.size() != how->count) {
    refuse("Expression takes exactly " + std::to_string(how->count) + " arguments");
  }
  if (how->passes_null && std::ranges::any_of(all, is_nullish)) return null{};
  return how->run(all);
}

outcome evaluate_document(const document& content, const scope& in) {
  if (content.size() == 1 && content.front().name.starts_with('$')) {
    return run_operator(content.front(), in);
  }
  document out;
  for (const field& each : content) {
    if (auto result = evaluate(each.content, in)) out.append(each.name, std::move(*result));
  }
  return out;
}

void check_operators(const value& operand) {
  if (const auto* members = operand.as<array>()) {
    for (const value& each : *members) check_operators(each);
    return;
  }
  const auto* content = operand.as<document>();
  if (content == nullptr) return;
  for (const field& each : *content) {
    if (each.name == "$literal") continue;
    if (each.name.starts_with('$') && find_operation(each.name) == nullptr &&
        find_function(lazy_operations, each.name) == nullptr) {
      refuse_operator(each.name);
    }
    check_operators(each.content);
  }
}

/// Rejects variables that nothing binds (mongo: expression.cpp, ExpressionFieldPath::parse;
/// variables.cpp, VariablesParseState::getVariable).
void check_variables(const value& operand, const variables& names) {
  if (const auto* text = operand.as<std::string>()) {
    static const std::set<std::string, std::less<>> of_mongos{
        "ROOT", "CURRENT", "REMOVE", "NOW",      "CLUSTER_TIME", "USER_ROLES",
        "KEEP", "DESCEND", "PRUNE",  "JS_SCOPE", "IS_MR",        "SEARCH_META"};
    if (!text->starts_with("$$")) return;
    const std::string name = split_path(std::string_view{*text}.substr(2)).front();
    if (of_mongos.contains(name) || names.contains(name)) return;
    refuse(17276, "Use of undefined variable: " + name);
  }
  if (const auto* members = operand.as<array>()) {
    for (const value& each : *members) check_variables(each, names);
    return;
  }
  const auto* content = operand.as<document>();
  if (content == nullptr || content->has("$literal")) return;
  const auto* parts = content->find_as<document>("$let");
  if (parts == nullptr) {
    for (const field& each : *content) check_variables(each.content, names);
    return;
  }
  variables inside = names;
  const auto* bound = parts->find_as<document>("vars");
  for (const field& each : bound == nullptr ? document{} : *bound) {
    check_variables(each.content, names);
    inside.insert_or_assign(each.name, null{});
  }
  if (const value* in = parts->find("in")) check_variables(*in, inside);
}

}  // namespace

outcome evaluate(const value& operand, const scope& in) {
  if (const auto* text = operand.as<std::string>()) return evaluate_text(*text, in);
  if (const auto* content = operand.as<document>()) return evaluate_document(*content, in);
  if (const auto* members = operand.as<array>()) {
    array out;
    for (const value& each : *members) out.push_back(evaluate(each, in).value_or(null{}));
    return out;
  }
  return operand;
}

expression::expression(value operand, variables names)
    : operand_(std::move(operand)), names_(std::move(names)) {
  check_operators(operand_);
  check_variables(operand_, names_);
}

outcome expression::evaluate_or_missing(const document& root) const {
  return sim::evaluate(operand_, scope{root, names_});
}

value expression::evaluate(const document& root) const {
  return evaluate_or_missing(root).value_or(null{});
}

}  // namespace scattergate::sim
