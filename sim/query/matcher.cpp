#include "sim/query/matcher.hpp"

#include <algorithm>
#include <functional>

#include "sim/query/expression.hpp"
#include "sim/query/refuse.hpp"
#include "sim/values/compare.hpp"
#include "sim/values/digest.hpp"
#include "sim/values/path.hpp"
#include "sim/values/value_predicate.hpp"

namespace scattergate::sim {
namespace {

using condition_ptr = std::shared_ptr<const condition>;

/// Deeper logic is rejected; the wire's own limit on nesting isn't far above.
constexpr int max_filter_depth = 100;

class path_condition final : public condition {
 public:
  path_condition(std::string_view path, predicate_ptr test)
      : path_(split_path(path)), test_(std::move(test)) {}
  bool matches(const document& candidate) const override {
    auto visit = [this](const value* leaf) { return passes(*test_, leaf); };
    return visit_path(candidate, path_, visit);
  }

 private:
  std::vector<std::string> path_;
  predicate_ptr test_;
};

class all_of final : public condition {
 public:
  explicit all_of(std::vector<condition_ptr> parts) : parts_(std::move(parts)) {}
  bool matches(const document& candidate) const override {
    return std::all_of(parts_.begin(), parts_.end(),
                       [&](const auto& each) { return each->matches(candidate); });
  }

 private:
  std::vector<condition_ptr> parts_;
};

class any_of final : public condition {
 public:
  explicit any_of(std::vector<condition_ptr> parts) : parts_(std::move(parts)) {}
  bool matches(const document& candidate) const override {
    return std::any_of(parts_.begin(), parts_.end(),
                       [&](const auto& each) { return each->matches(candidate); });
  }

 private:
  std::vector<condition_ptr> parts_;
};

class negation final : public condition {
 public:
  explicit negation(condition_ptr part) : part_(std::move(part)) {}
  bool matches(const document& candidate) const override { return !part_->matches(candidate); }

 private:
  condition_ptr part_;
};

class expression_condition final : public condition {
 public:
  expression_condition(const value& operand, const variables& names)
      : expression_(operand, names) {}
  bool matches(const document& candidate) const override {
    return expression_.evaluate(candidate).is_truthy();
  }

 private:
  expression expression_;
};

/// Passes a share of the documents, at random.
class sample_condition final : public condition {
 public:
  explicit sample_condition(const value& rate) : rate_(rate_of(rate)) {}
  bool matches(const document& /*candidate*/) const override {
    constexpr double values = 256;
    return static_cast<unsigned char>(random_bytes(1).front()) < rate_ * values;
  }

 private:
  static double rate_of(const value& operand) {
    if (!operand.is_number()) refuse("argument to $sampleRate must be a numeric type");
    const double rate = operand.as_double();
    const bool is_share = rate >= 0 && rate <= 1;
    if (!is_share) refuse("numeric argument to $sampleRate must be in [0, 1]");
    return rate;
  }

  double rate_;
};

condition_ptr negate(condition_ptr part) {
  return std::make_shared<negation>(std::move(part));
}

condition_ptr on_path(std::string_view path, predicate_ptr test) {
  return std::make_shared<path_condition>(path, std::move(test));
}

/// The parser's depth, and the variables of `$expr`.
struct place {
  int depth;
  const variables& names;
  [[nodiscard]] place below() const { return {depth + 1, names}; }
};

condition_ptr parse_filter(const document& filter, const place& at);

/// `$elemMatch`: passes if one member passes everything. Its operand is a filter on documents,
/// or a document of operators on the member itself, which is then stored under a made-up name.
class element_match final : public value_predicate {
 public:
  element_match(const document& operand, const place& at)
      : on_values_(!operand.empty() && is_operator_document(value{operand}) &&
                   !is_logic(operand.front().name)),
        filter_(parse_filter(on_values_ ? wrapped(operand) : operand, at.below())) {}

  bool test(const value* candidate) const override {
    const auto* members = candidate == nullptr ? nullptr : candidate->as<array>();
    if (members == nullptr) return false;
    return std::any_of(members->begin(), members->end(),
                       [this](const value& each) { return member_passes(each); });
  }
  bool looks_into_arrays() const override { return false; }

 private:
  static document wrapped(const value& member) {
    document out;
    out.append("member", member);
    return out;
  }

  static bool is_logic(std::string_view name) {
    return name == "$and" || name == "$or" || name == "$nor" || name == "$expr";
  }
  bool member_passes(const value& member) const {
    if (on_values_) return filter_->matches(wrapped(member));
    const auto* inner = member.as<document>();
    return inner != nullptr && filter_->matches(*inner);
  }

  bool on_values_;
  condition_ptr filter_;
};

predicate_ptr make_element_match(const value& operand, const place& at) {
  const auto* inner = operand.as<document>();
  if (inner == nullptr) refuse("$elemMatch needs an Object");
  return std::make_unique<element_match>(*inner, at);
}

condition_ptr parse_all(std::string_view path, const value& operand, const place& at) {
  const auto* members = operand.as<array>();
  if (members == nullptr) refuse("$all needs an array");
  std::vector<condition_ptr> parts;
  for (const value& each : *members) {
    const auto* inner = each.as<document>();
    if (const auto* pattern = each.as<regex>()) {
      parts.push_back(on_path(path, make_regex_test(*pattern)));
    } else if (inner != nullptr && inner->size() == 1 && inner->has("$elemMatch")) {
      parts.push_back(on_path(path, make_element_match(inner->front().content, at)));
    } else {
      parts.push_back(on_path(path, make_equality(each)));
    }
  }
  // $all of nothing matches nothing.
  if (parts.empty()) return std::make_shared<any_of>(std::move(parts));
  return std::make_shared<all_of>(std::move(parts));
}

regex regex_of(const document& operators) {
  regex out;
  const value& operand = *operators.find("$regex");
  if (const auto* given = operand.as<regex>()) {
    out = *given;
  } else if (const auto* text = operand.as<std::string>()) {
    out.pattern = *text;
  } else {
    refuse("$regex has to be a string");
  }
  if (const value* options = operators.find("$options")) {
    const auto* text = options->as<std::string>();
    if (text == nullptr) refuse("$options has to be a string");
    out.options = *text;
  }
  return out;
}

condition_ptr parse_operators(std::string_view path, const document& operators,
                              const place& at);

condition_ptr parse_not(std::string_view path, const value& operand, const place& at) {
  if (const auto* pattern = operand.as<regex>()) {
    return negate(on_path(path, make_regex_test(*pattern)));
  }
  const auto* inner = operand.as<document>();
  if (inner == nullptr) refuse("$not needs a regex or a document");
  if (inner->empty()) refuse("$not cannot be empty");
  return negate(parse_operators(path, *inner, at.below()));
}

condition_ptr parse_operator(std::string_view path, const field& each,
                             const document& operators, const place& at) {
  const std::string& name = each.name;
  const value& operand = each.content;
  if (name == "$ne") {
    if (operand.is<regex>()) refuse("Can't have regex as arg to $ne.");
    return negate(on_path(path, make_equality(operand)));
  }
  if (name == "$nin") return negate(on_path(path, make_operator_test("$in", operand)));
  if (name == "$not") return parse_not(path, operand, at);
  if (name == "$all") return parse_all(path, operand, at);
  if (name == "$elemMatch") return on_path(path, make_element_match(operand, at));
  if (name == "$regex") return on_path(path, make_regex_test(regex_of(operators)));
  if (name == "$exists" && !operand.is_truthy()) {
    return negate(on_path(path, make_operator_test(name, operand)));
  }
  predicate_ptr test = make_operator_test(name, operand);
  if (test == nullptr) refuse("unknown operator: " + name + see_limits);
  return on_path(path, std::move(test));
}

condition_ptr parse_operators(std::string_view path, const document& operators,
                              const place& at) {
  if (at.depth > max_filter_depth) refuse("Filter is nested too deep");
  std::vector<condition_ptr> parts;
  for (const field& each : operators) {
    if (each.name == "$options") {
      if (!operators.has("$regex")) refuse("$options needs a $regex");
    } else {
      parts.push_back(parse_operator(path, each, operators, at));
    }
  }
  return std::make_shared<all_of>(std::move(parts));
}

std::vector<condition_ptr> parse_branches(const field& each, const place& at) {
  const auto* branches = each.content.as<array>();
  if (branches == nullptr) refuse(each.name + " argument must be an array");
  if (branches->empty()) refuse("$and/$or/$nor must be a nonempty array");
  std::vector<condition_ptr> parts;
  for (const value& branch : *branches) {
    const auto* inner = branch.as<document>();
    if (inner == nullptr) refuse("$or/$and/$nor entries need to be full objects");
    parts.push_back(parse_filter(*inner, at.below()));
  }
  return parts;
}

condition_ptr parse_field(const field& each, const place& at) {
  const std::string& name = each.name;
  if (name == "$and") return std::make_shared<all_of>(parse_branches(each, at));
  if (name == "$or") return std::make_shared<any_of>(parse_branches(each, at));
  if (name == "$nor") return negate(std::make_shared<any_of>(parse_branches(each, at)));
  if (name == "$expr") return std::make_shared<expression_condition>(each.content, at.names);
  if (name == "$sampleRate") return std::make_shared<sample_condition>(each.content);
  if (name == "$alwaysFalse") return std::make_shared<any_of>(std::vector<condition_ptr>{});
  if (name == "$comment" || name == "$alwaysTrue") {
    return std::make_shared<all_of>(std::vector<condition_ptr>{});
  }
  if (name == "$where")
    refuse("$where needs JavaScript, and isn't supported" + std::string{see_limits});
  if (name.starts_with('$')) refuse("unknown top level operator: " + name + see_limits);
  if (is_operator_document(each.content)) {
    return parse_operators(name, *each.content.as<document>(), at);
  }
  if (const auto* pattern = each.content.as<regex>()) {
    return on_path(name, make_regex_test(*pattern));
  }
  return on_path(name, make_equality(each.content));
}

condition_ptr parse_filter(const document& filter, const place& at) {
  if (at.depth > max_filter_depth) refuse("Filter is nested too deep");
  std::vector<condition_ptr> parts;
  for (const field& each : filter) parts.push_back(parse_field(each, at));
  if (parts.size() == 1) return parts.front();
  return std::make_shared<all_of>(std::move(parts));
}

}  // namespace

bool is_operator_document(const value& operand) noexcept {
  const auto* inner = operand.as<document>();
  if (inner == nullptr || inner->empty()) return false;
  const std::string& first = inner->front().name;
  // A document with both fields is a DBRef (mongo: expression_parser.cpp, isDBRefDocument).
  if (inner->has("$ref") && inner->has("$id")) return false;
  return first.starts_with('$') && first != "$ref" && first != "$id" && first != "$db";
}

matcher::matcher(const document& filter, const variables& names)
    : root_(parse_filter(filter, place{0, names})) {}

bool matcher::matches(const document& candidate) const {
  return root_->matches(candidate);
}

}  // namespace scattergate::sim
