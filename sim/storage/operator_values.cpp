#include <algorithm>

#include "sim/storage/intervals.hpp"
#include "sim/values/compare.hpp"
#include "sim/values/value_test.hpp"

namespace scattergate::sim {
namespace {

bool depends_on_collation(const value& operand) {
  return operand.is<std::string>() || operand.is<symbol>() || operand.is<document>() ||
         operand.is<array>();
}

value_set for_equality(const value& operand, bool compares_simply) {
  if (!compares_simply && depends_on_collation(operand)) return value_set::everything();
  value_set out = value_set::point(operand);
  const auto* members = operand.as<array>();
  if (members == nullptr) return out;
  // A field that equals the array, or holds it as a member's value.
  const value first = members->empty() ? value{undefined{}} : members->front();
  return out.or_else(value_set::point(first));
}

value_set for_comparison(std::string_view name, const value& operand, bool compares_simply) {
  if (operand.is<array>()) return value_set::everything();
  if (!compares_simply && depends_on_collation(operand)) return value_set::everything();
  const bool has_end = name == "$lte" || name == "$gte";
  const bool boundless = operand.is<min_key>() || operand.is<max_key>();
  const value_set type =
      boundless ? value_set::everything() : value_set::bracket(operand.type());
  const bool below = name == "$lt" || name == "$lte";
  return type.and_also(value_set::between(below ? interval{min_key{}, operand, true, has_end}
                                                : interval{operand, max_key{}, has_end, true}));
}

/// The literal text that every match of an anchored pattern begins with.
std::string literal_prefix(const regex& pattern) {
  constexpr std::string_view special = "\\^$.[]|()?*+{}";
  if (pattern.options.find_first_of("imx") != std::string::npos) return {};
  if (!pattern.pattern.starts_with('^')) return {};
  if (pattern.pattern.find('|') != std::string::npos) return {};
  const std::string rest = pattern.pattern.substr(1);
  const std::size_t end = rest.find_first_of(special);
  if (end == std::string::npos) return rest;
  // A quantifier takes the character before it back.
  const bool takes_back = rest[end] == '?' || rest[end] == '*' || rest[end] == '{';
  return rest.substr(0, takes_back && end > 0 ? end - 1 : end);
}

value_set for_regex(const regex& pattern, bool compares_simply) {
  const value_set same = value_set::point(pattern);
  std::string prefix = compares_simply ? literal_prefix(pattern) : "";
  if (prefix.empty()) return value_set::bracket(bson_type::string).or_else(same);
  std::string after = prefix;
  while (!after.empty() && static_cast<unsigned char>(after.back()) == 0xff) after.pop_back();
  if (after.empty()) return value_set::bracket(bson_type::string).or_else(same);
  after.back() = static_cast<char>(static_cast<unsigned char>(after.back()) + 1);
  return value_set::between({std::move(prefix), std::move(after), true, false}).or_else(same);
}

value_set for_in(const value& operand, bool compares_simply) {
  value_set out = value_set::nothing();
  const auto* members = operand.as<array>();
  if (members == nullptr) return value_set::everything();
  std::vector<value> points;
  for (const value& each : *members) {
    if (const auto* pattern = each.as<regex>()) {
      out = out.or_else(for_regex(*pattern, compares_simply));
    } else if (each.is<array>() || (!compares_simply && depends_on_collation(each))) {
      out = out.or_else(for_equality(each, compares_simply));
    } else {
      points.push_back(each);
    }
  }
  return out.or_else(value_set::points(std::move(points)));
}

/// Whether for_equality and its kin are exact for the operand, so that they may be inverted.
bool is_plain(const value& operand) {
  return !operand.is<array>() && !operand.is<regex>();
}

value_set for_not(const value& operand, bool compares_simply) {
  const auto* operators = operand.as<document>();
  if (operators == nullptr) return value_set::everything();
  value_set passed = value_set::everything();
  for (const field& each : *operators) {
    const bool compares = each.name == "$eq" || each.name == "$gt" || each.name == "$gte" ||
                          each.name == "$lt" || each.name == "$lte";
    if (!compares || !is_plain(each.content) || each.content.is<null>()) {
      return value_set::everything();
    }
    if (!compares_simply && depends_on_collation(each.content)) return value_set::everything();
    passed = passed.and_also(values_for(each.name, each.content, compares_simply));
  }
  return passed.inverse();
}

value_set for_none_of(const array& members, bool compares_simply) {
  if (!std::all_of(members.begin(), members.end(), is_plain)) return value_set::everything();
  if (!compares_simply && std::any_of(members.begin(), members.end(), depends_on_collation)) {
    return value_set::everything();
  }
  return for_in(members, compares_simply).inverse();
}

value_set for_types(const value& operand) {
  value_set out = value_set::nothing();
  for (const bson_type each : types_of(operand)) {
    if (each == bson_type::array) return value_set::everything();
    out = out.or_else(value_set::bracket(each));
  }
  return out;
}

value_set for_all(const value& operand, bool compares_simply) {
  const auto* members = operand.as<array>();
  if (members == nullptr || members->size() != 1) return value_set::everything();
  const auto* inner = members->front().as<document>();
  if (inner != nullptr && inner->has("$elemMatch")) return value_set::everything();
  return for_in(operand, compares_simply);
}

/// What some member of an array must be: of a field that holds one value, what that is.
value_set for_member(const value& operand, bool compares_simply) {
  value_set out = value_set::everything();
  const auto* operators = operand.as<document>();
  if (operators == nullptr || operators->empty()) return out;
  for (const field& each : *operators) {
    if (!each.name.starts_with('$')) return value_set::everything();
    out = out.and_also(values_for(each.name, each.content, compares_simply));
  }
  return out;
}

}  // namespace

value_set values_for(std::string_view name, const value& operand, bool compares_simply) {
  if (name == "$eq") return for_equality(operand, compares_simply);
  if (name == "$gt" || name == "$gte" || name == "$lt" || name == "$lte") {
    return for_comparison(name, operand, compares_simply);
  }
  if (name == "$in") return for_in(operand, compares_simply);
  if (name == "$exists") {
    return operand.is_truthy() ? value_set::everything() : value_set::point(null{});
  }
  if (name == "$ne") return for_none_of({operand}, compares_simply);
  if (name == "$nin" && operand.is<array>()) {
    return for_none_of(*operand.as<array>(), compares_simply);
  }
  if (name == "$not") return for_not(operand, compares_simply);
  if (name == "$type") return for_types(operand);
  if (name == "$mod") return value_set::bracket(bson_type::int32);
  if (name == "$elemMatch") return for_member(operand, compares_simply);
  if (name == "$all") return for_all(operand, compares_simply);
  if (name == "$regex" && operand.is<regex>()) {
    return for_regex(*operand.as<regex>(), compares_simply);
  }
  return value_set::everything();
}

}  // namespace scattergate::sim
