#include "sim/query/expression.hpp"

#include <set>

#include "sim/values/error.hpp"
#include "sim/values/identity.hpp"
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
  if (known == in.names.end()) {
    throw command_failure(static_cast<errc>(17276),
                          "Use of undefined variable: " + path.front());
  }
  return follow(known->second, rest);
}

outcome evaluate_text(const std::string& text, const scope& in) {
  if (text.starts_with("$$")) return evaluate_variable(std::string_view{text}.substr(2), in);
  if (text.starts_with('$')) {
    return follow_field(in.root, split_path(std::string_view{text}.substr(1)));
  }
  return text;
}

outcome evaluate_document(const document& content, const scope& in) {
  if (content.size() == 1 && content.front().name.starts_with('$')) {
    const operator_function function = find_operator(content.front().name);
    if (function == nullptr) {
      throw command_failure(
          errc::invalid_pipeline_operator,
          "Unrecognized expression '" + content.front().name + "'" + see_limits);
    }
    return function(content.front().content, in);
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
    if (each.name.starts_with('$') && find_operator(each.name) == nullptr) {
      throw command_failure(errc::invalid_pipeline_operator,
                            "Unrecognized expression '" + each.name + "'" + see_limits);
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
    throw command_failure(static_cast<errc>(17276), "Use of undefined variable: " + name);
  }
  if (const auto* members = operand.as<array>()) {
    for (const value& each : *members) check_variables(each, names);
    return;
  }
  const auto* content = operand.as<document>();
  if (content == nullptr || content->has("$literal")) return;
  const value* let = content->find("$let");
  const auto* parts = let == nullptr ? nullptr : let->as<document>();
  if (parts == nullptr) {
    for (const field& each : *content) check_variables(each.content, names);
    return;
  }
  variables inside = names;
  const value* vars = parts->find("vars");
  const auto* bound = vars == nullptr ? nullptr : vars->as<document>();
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
