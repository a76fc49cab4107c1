#include <algorithm>
#include <cctype>
#include <cmath>
#include <unordered_map>

#include "sim/query/expression.hpp"
#include "sim/query/refuse.hpp"
#include "sim/values/bson_codec.hpp"
#include "sim/values/compare.hpp"
#include "sim/values/error.hpp"
#include "sim/values/key_hash.hpp"
#include "sim/values/numbers.hpp"
#include "sim/values/value_predicate.hpp"

namespace scattergate::sim {
namespace {

bool is_nullish(const outcome& result) {
  return !result || result->is<null>() || result->is<undefined>();
}

/// Size limits for operators that concatenate.
constexpr std::size_t max_text_bytes = 16 * 1024 * 1024;
constexpr std::size_t max_members = 1'000'000;

/// The operands of an operator: a list, or a single one.
std::vector<outcome> arguments(const value& operand, const scope& in) {
  std::vector<outcome> out;
  if (const auto* several = operand.as<array>()) {
    for (const value& each : *several) out.push_back(evaluate(each, in));
  } else {
    out.push_back(evaluate(operand, in));
  }
  return out;
}

std::vector<outcome> arguments(const value& operand, const scope& in, std::size_t count) {
  auto out = arguments(operand, in);
  if (out.size() != count) {
    refuse("Expression takes exactly " + std::to_string(count) + " arguments");
  }
  return out;
}

const value& number(const outcome& result) {
  if (!result || !result->is_number()) {
    throw command_failure(errc::type_mismatch, "expression supports only numeric types");
  }
  return *result;
}

std::weak_ordering order_of(const value& operand, const scope& in) {
  const auto both = arguments(operand, in, 2);
  // A missing field sorts below null, as undefined does.
  return compare(both[0].value_or(undefined{}), both[1].value_or(undefined{}));
}

outcome op_eq(const value& operand, const scope& in) {
  return order_of(operand, in) == 0;
}
outcome op_ne(const value& operand, const scope& in) {
  return order_of(operand, in) != 0;
}
outcome op_gt(const value& operand, const scope& in) {
  return order_of(operand, in) > 0;
}
outcome op_gte(const value& operand, const scope& in) {
  return order_of(operand, in) >= 0;
}
outcome op_lt(const value& operand, const scope& in) {
  return order_of(operand, in) < 0;
}
outcome op_lte(const value& operand, const scope& in) {
  return order_of(operand, in) <= 0;
}
outcome op_cmp(const value& operand, const scope& in) {
  const auto order = order_of(operand, in);
  return std::int32_t{order < 0 ? -1 : (order > 0 ? 1 : 0)};
}

bool is_true(const outcome& result) {
  return result && result->is_truthy();
}

outcome op_and(const value& operand, const scope& in) {
  const auto all = arguments(operand, in);
  return std::all_of(all.begin(), all.end(), is_true);
}
outcome op_or(const value& operand, const scope& in) {
  const auto all = arguments(operand, in);
  return std::any_of(all.begin(), all.end(), is_true);
}
outcome op_not(const value& operand, const scope& in) {
  return !is_true(arguments(operand, in, 1)[0]);
}

template <typename Combine>
outcome fold(const value& operand, const scope& in, value start, Combine combine) {
  value result = std::move(start);
  for (const outcome& each : arguments(operand, in)) {
    if (is_nullish(each)) return null{};
    result = combine(result, number(each));
  }
  return result;
}

outcome op_add(const value& operand, const scope& in) {
  return fold(operand, in, std::int32_t{0}, add);
}
outcome op_multiply(const value& operand, const scope& in) {
  return fold(operand, in, std::int32_t{1}, multiply);
}
outcome op_subtract(const value& operand, const scope& in) {
  const auto both = arguments(operand, in, 2);
  if (is_nullish(both[0]) || is_nullish(both[1])) return null{};
  const auto* left = both[0]->as<date>();
  const auto* right = both[1]->as<date>();
  if (left != nullptr && right != nullptr) {
    return add(left->millis, multiply(right->millis, std::int32_t{-1}));
  }
  return add(number(both[0]), multiply(number(both[1]), std::int32_t{-1}));
}
outcome op_divide(const value& operand, const scope& in) {
  const auto both = arguments(operand, in, 2);
  if (is_nullish(both[0]) || is_nullish(both[1])) return null{};
  if (number(both[1]).as_double() == 0) refuse("can't $divide by zero");
  return number(both[0]).as_double() / number(both[1]).as_double();
}
outcome op_mod(const value& operand, const scope& in) {
  const auto both = arguments(operand, in, 2);
  if (is_nullish(both[0]) || is_nullish(both[1])) return null{};
  if (number(both[1]).as_double() == 0) refuse("can't $mod by zero");
  if (both[0]->is_integer() && both[1]->is_integer()) {
    return both[1]->as_int64() == -1 ? std::int64_t{0}
                                     : both[0]->as_int64() % both[1]->as_int64();
  }
  return std::fmod(both[0]->as_double(), both[1]->as_double());
}

template <typename Real>
outcome rounded(const value& operand, const scope& in, Real function) {
  const auto one = arguments(operand, in, 1)[0];
  if (is_nullish(one)) return null{};
  if (number(one).is_integer()) return one;
  return function(one->as_double());
}
outcome op_floor(const value& operand, const scope& in) {
  return rounded(operand, in, [](double x) { return std::floor(x); });
}
outcome op_ceil(const value& operand, const scope& in) {
  return rounded(operand, in, [](double x) { return std::ceil(x); });
}
outcome op_abs(const value& operand, const scope& in) {
  const auto one = arguments(operand, in, 1)[0];
  if (is_nullish(one)) return null{};
  return number(one).as_long_double() < 0 ? multiply(*one, std::int32_t{-1}) : *one;
}

outcome op_literal(const value& operand, const scope&) {
  return operand;
}

outcome op_cond(const value& operand, const scope& in) {
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

outcome op_if_null(const value& operand, const scope& in) {
  const auto all = arguments(operand, in);
  if (all.size() < 2) refuse("$ifNull needs at least two arguments");
  const auto found = std::find_if_not(all.begin(), all.end() - 1, is_nullish);
  return *found;
}

outcome op_concat(const value& operand, const scope& in) {
  std::string out;
  for (const outcome& each : arguments(operand, in)) {
    if (is_nullish(each)) return null{};
    const auto* text = each->as<std::string>();
    if (text == nullptr) refuse("$concat only supports strings");
    out += *text;
    if (out.size() > max_text_bytes) refuse("$concat made too long a string");
  }
  return out;
}

std::string text_of(const outcome& result) {
  if (is_nullish(result)) return {};
  if (const auto* text = result->as<std::string>()) return *text;
  if (const auto* id = result->as<object_id>()) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string out;
    for (const std::uint8_t byte : id->bytes) {
      out += digits[byte >> 4U];
      out += digits[byte & 15U];
    }
    return out;
  }
  if (result->is_integer()) return std::to_string(result->as_int64());
  if (const auto* flag = result->as<bool>()) return *flag ? "true" : "false";
  std::string json = to_json({{"v", *result}});
  const std::size_t from = json.find(':') + 2;
  return json.substr(from, json.size() - from - 2);
}

outcome op_to_string(const value& operand, const scope& in) {
  const auto one = arguments(operand, in, 1)[0];
  if (is_nullish(one)) return null{};
  return text_of(one);
}
outcome op_to_lower(const value& operand, const scope& in) {
  std::string text = text_of(arguments(operand, in, 1)[0]);
  for (char& each : text)
    each = static_cast<char>(std::tolower(static_cast<unsigned char>(each)));
  return text;
}
outcome op_to_upper(const value& operand, const scope& in) {
  std::string text = text_of(arguments(operand, in, 1)[0]);
  for (char& each : text)
    each = static_cast<char>(std::toupper(static_cast<unsigned char>(each)));
  return text;
}

const array& members_of(const outcome& result, const char* name) {
  const auto* members = result ? result->as<array>() : nullptr;
  if (members == nullptr) refuse(std::string{"The argument to "} + name + " must be an array");
  return *members;
}

outcome op_size(const value& operand, const scope& in) {
  const auto one = arguments(operand, in, 1)[0];
  return static_cast<std::int32_t>(members_of(one, "$size").size());
}
outcome op_is_array(const value& operand, const scope& in) {
  const auto one = arguments(operand, in, 1)[0];
  return one && one->is<array>();
}
outcome op_in(const value& operand, const scope& in) {
  const auto both = arguments(operand, in, 2);
  const array& members = members_of(both[1], "$in");
  const value searched = both[0].value_or(undefined{});
  return std::any_of(members.begin(), members.end(),
                     [&searched](const value& each) { return is_equal(each, searched); });
}

outcome member_at(const array& members, std::int64_t index) {
  const auto size = static_cast<std::int64_t>(members.size());
  if (index < 0) index += size;
  if (index < 0 || index >= size) return std::nullopt;
  return members[static_cast<std::size_t>(index)];
}
outcome op_array_elem_at(const value& operand, const scope& in) {
  const auto both = arguments(operand, in, 2);
  if (is_nullish(both[0]) || is_nullish(both[1])) return null{};
  return member_at(members_of(both[0], "$arrayElemAt"), number(both[1]).as_int64());
}
outcome op_first(const value& operand, const scope& in) {
  const auto one = arguments(operand, in, 1)[0];
  if (is_nullish(one)) return null{};
  return member_at(members_of(one, "$first"), 0);
}
outcome op_last(const value& operand, const scope& in) {
  const auto one = arguments(operand, in, 1)[0];
  if (is_nullish(one)) return null{};
  return member_at(members_of(one, "$last"), -1);
}
outcome op_concat_arrays(const value& operand, const scope& in) {
  array out;
  for (const outcome& each : arguments(operand, in)) {
    if (is_nullish(each)) return null{};
    const array& members = members_of(each, "$concatArrays");
    out.insert(out.end(), members.begin(), members.end());
    if (out.size() > max_members) refuse("$concatArrays made too long an array");
  }
  return out;
}

outcome op_type(const value& operand, const scope& in) {
  const auto one = arguments(operand, in, 1)[0];
  return one ? std::string{type_alias(one->type())} : std::string{"missing"};
}

outcome op_merge_objects(const value& operand, const scope& in) {
  document out;
  for (const outcome& each : arguments(operand, in)) {
    if (is_nullish(each)) continue;
    const auto* inner = each->as<document>();
    if (inner == nullptr) refuse("$mergeObjects requires object inputs");
    for (const field& part : *inner) out.set(part.name, part.content);
  }
  return out;
}

/// A missing field hashes as null does (mongo: expression.cpp, ExpressionToHashedIndexKey).
outcome op_to_hashed_index_key(const value& operand, const scope& in) {
  return key_hash(arguments(operand, in, 1).front().value_or(null{}));
}

outcome op_let(const value& operand, const scope& in) {
  const auto* content = operand.as<document>();
  const value* vars = content == nullptr ? nullptr : content->find("vars");
  const value* inside = content == nullptr ? nullptr : content->find("in");
  const auto* bound = vars == nullptr ? nullptr : vars->as<document>();
  if (bound == nullptr || inside == nullptr) refuse("$let requires vars and in");
  variables names = in.names;
  for (const field& each : *bound) {
    names.erase(each.name);
    if (auto found = evaluate(each.content, in)) names.emplace(each.name, std::move(*found));
  }
  return evaluate(*inside, scope{in.root, names});
}

const std::unordered_map<std::string_view, operator_function>& table() {
  static const std::unordered_map<std::string_view, operator_function> operators{
      {"$eq", op_eq},
      {"$ne", op_ne},
      {"$gt", op_gt},
      {"$gte", op_gte},
      {"$lt", op_lt},
      {"$lte", op_lte},
      {"$cmp", op_cmp},
      {"$and", op_and},
      {"$or", op_or},
      {"$not", op_not},
      {"$add", op_add},
      {"$subtract", op_subtract},
      {"$multiply", op_multiply},
      {"$divide", op_divide},
      {"$mod", op_mod},
      {"$abs", op_abs},
      {"$floor", op_floor},
      {"$ceil", op_ceil},
      {"$literal", op_literal},
      {"$cond", op_cond},
      {"$let", op_let},
      {"$ifNull", op_if_null},
      {"$concat", op_concat},
      {"$toString", op_to_string},
      {"$toLower", op_to_lower},
      {"$toUpper", op_to_upper},
      {"$size", op_size},
      {"$isArray", op_is_array},
      {"$in", op_in},
      {"$arrayElemAt", op_array_elem_at},
      {"$first", op_first},
      {"$last", op_last},
      {"$concatArrays", op_concat_arrays},
      {"$type", op_type},
      {"$mergeObjects", op_merge_objects},
      {"$toHashedIndexKey", op_to_hashed_index_key}};
  return operators;
}

}  // namespace

operator_function find_operator(std::string_view name) noexcept {
  const auto known = table().find(name);
  return known == table().end() ? nullptr : known->second;
}

}  // namespace scattergate::sim
