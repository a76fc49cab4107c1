#include <array>
#include <optional>

#include "sim/query/matcher.hpp"
#include "sim/targeting/expression_rules.hpp"
#include "sim/targeting/filter_tree.hpp"
#include "sim/values/error.hpp"
#include "sim/values/value_predicate.hpp"

namespace scattergate::sim {
namespace {

struct operator_kind {
  std::string_view name;
  filter_kind kind;
};

/// The operators fully described by their operand. `$near` and similar ones aren't planned
/// without an index.
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
    {"$geoWithin", filter_kind::geo},
    {"$geoIntersects", filter_kind::geo},
    {"$within", filter_kind::geo},
    {"$near", filter_kind::near},
    {"$nearSphere", filter_kind::near},
    {"$geoNear", filter_kind::near},
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
    if (each.name == "$text") return out.push_back(leaf(filter_kind::text, {}, each.content));
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
      const bool names_itself = kind == filter_kind::bits || kind == filter_kind::geo;
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
      throw command_failure(static_cast<errc>(51108),
                            "invalid flag in regex options: " + pattern->options);
    }
    return leaf(filter_kind::regex, path, operand);
  }

  static value pattern_of(const document& operators) {
    const value& given = *operators.find("$regex");
    regex out;
    if (const auto* pattern = given.as<regex>()) out = *pattern;
    if (const auto* text = given.as<std::string>()) out.pattern = *text;
    const value* options = operators.find("$options");
    const auto* flags = options == nullptr ? nullptr : options->as<std::string>();
    if (flags != nullptr) out.options = *flags;
    return out;
  }

  const filter_terms& terms_;
};

}  // namespace

filter_node read_filter(const document& filter, const filter_terms& terms) {
  return filter_reader{terms}.read(filter);
}

}  // namespace scattergate::sim
