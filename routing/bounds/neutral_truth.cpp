#include "routing/bounds/neutral_truth.hpp"

#include <algorithm>

#include "routing/keys/decimal128.hpp"
#include "wire/endian.hpp"
#include "wire/work_budget.hpp"

namespace scattergate::routing {
namespace {

using wire::bson_type;
using wire::document_view;
using wire::element;

/// Whether `type` or `bsonType` names the type of a whole document.
bool names_object(const element& types, wire::work_budget& work) noexcept {
  const auto list = types.as_array();
  if (!list) return types.as_string() == "object";
  wire::metered_reader reader{*list, work};
  for (element type; reader.next(type);) {
    if (type.as_string() == "object") return true;
  }
  return reader.is_corrupt();
}

/// Whether a schema may accept all documents. These keywords certainly restrict them; others
/// may be empty, or about other types.
bool may_accept_all(document_view schema, wire::work_budget& work) noexcept {
  wire::metered_reader reader{schema, work};
  for (element keyword; reader.next(keyword);) {
    const std::string_view name = keyword.key();
    if (name == "required" || name == "minProperties" || name == "maxProperties") return false;
  }
  return true;
}

/// Evaluates a schema. Negations and alternatives are unknown if they may be constant.
class evaluation {
 public:
  explicit evaluation(wire::work_budget& work) noexcept : work_(work) {}

  neutral_truth of(document_view schema) noexcept {
    if (!depth_.enter()) return neutral_truth::unknown;
    neutral_truth found = neutral_truth::varies;
    wire::metered_reader reader{schema, work_};
    for (element keyword; reader.next(keyword);) found = both(found, of_keyword(keyword));
    depth_.leave();
    return found;
  }

 private:
  /// The conjunction of two.
  static neutral_truth both(neutral_truth left, neutral_truth right) noexcept {
    const bool is_never = left == neutral_truth::never || right == neutral_truth::never;
    return is_never ? neutral_truth::never : std::max(left, right);
  }

  neutral_truth of_keyword(const element& keyword) noexcept {
    const std::string_view name = keyword.key();
    if (name == "type" || name == "bsonType") {
      return names_object(keyword, work_) ? neutral_truth::varies : neutral_truth::never;
    }
    if (name == "not") {
      const auto denied = keyword.as_document();
      return denied ? of_denied(*denied) : neutral_truth::varies;
    }
    const bool is_any = name == "anyOf" || name == "oneOf";
    if (!is_any && name != "allOf") return neutral_truth::varies;
    neutral_truth found = neutral_truth::varies;
    wire::metered_reader reader{keyword.as_array().value_or(document_view{}), work_};
    for (element member; reader.next(member);) {
      const auto inner = member.as_document();
      if (!inner) continue;
      found = both(found, is_any ? of_denied(*inner) : of(*inner));
    }
    return found;
  }

  /// Of a schema that decides the whole only if it is constant.
  neutral_truth of_denied(document_view schema) noexcept {
    const bool is_constant =
        of(schema) != neutral_truth::varies || may_accept_all(schema, work_);
    return is_constant ? neutral_truth::unknown : neutral_truth::varies;
  }

  wire::work_budget& work_;
  wire::depth_guard depth_;
};

/// The operand of a $sampleRate as mongos reads it, as a double (mongo:
/// matcher/expression_parser.cpp, parseSampleRate); std::nullopt if it isn't a number.
std::optional<double> rate_of(const element& operand) noexcept {
  if (!operand.is_number()) return std::nullopt;
  if (operand.type() == bson_type::float64) {
    return wire::load_little<double>(operand.value().data());
  }
  if (operand.type() == bson_type::decimal128) {
    return decimal128{operand.value().first<16>()}.to_double();
  }
  return static_cast<double>(operand.as_int64().value_or(0));
}

neutral_truth truth_of_rate(const element& operand) noexcept {
  const auto rate = rate_of(operand);
  const bool is_share = rate && *rate >= 0 && *rate <= 1;  // false for NaN
  if (!is_share) return neutral_truth::refused;
  return *rate == 0 ? neutral_truth::late_never : neutral_truth::varies;
}

/// From 8.0 on the negation of a condition that accepts all documents may be evaluated, too.
neutral_truth truth_of_schema(document_view schema, bool is_plain, server_version version,
                              wire::work_budget& work) noexcept {
  const bool may_deny_all =
      !is_plain && version >= server_version{8, 0} && may_accept_all(schema, work);
  return may_deny_all ? neutral_truth::unknown : evaluation{work}.of(schema);
}

}  // namespace

neutral_truth truth_of_neutral(const element& part, bool is_plain, server_version version,
                               wire::work_budget& work) noexcept {
  neutral_truth found = neutral_truth::varies;
  if (part.key() == "$sampleRate") {
    found = truth_of_rate(part);
  } else if (const auto schema = part.as_document(); schema && part.key() == "$jsonSchema") {
    found = truth_of_schema(*schema, is_plain, version, work);
  }
  const bool is_never = found == neutral_truth::never || found == neutral_truth::late_never;
  return is_never && !is_plain ? neutral_truth::varies : found;
}

std::optional<bool> constant_of_sample_rate(const element& operand) noexcept {
  const auto rate = rate_of(operand);
  const bool is_constant = rate && (*rate == 0 || *rate == 1);
  return is_constant ? std::optional{*rate == 1} : std::nullopt;
}

}  // namespace scattergate::routing
