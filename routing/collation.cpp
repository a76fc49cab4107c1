#include "routing/collation.hpp"

namespace scattergate::routing {
namespace {

using wire::element;

/// The few locales whose own defaults are others (MongoDB's manual, "Collation Locales and
/// Default Parameters").
void apply_locale(std::string_view locale, collation_rules& to) noexcept {
  to.locale = locale;
  if (locale == "da" || locale == "mt") to.case_first = "upper";
  if (locale == "fr_CA") to.backwards = true;
  if (locale == "th") to.alternate = "shifted";
}

void apply(const element& field, collation_rules& to) noexcept {
  const std::string_view name = field.key();
  if (name == "caseLevel") to.case_level = field.is_truthy();
  if (name == "caseFirst") to.case_first = field.as_string();
  if (name == "strength") to.strength = field.as_int64().value_or(to.strength);
  if (name == "numericOrdering") to.numeric_ordering = field.is_truthy();
  if (name == "alternate") to.alternate = field.as_string();
  if (name == "maxVariable") to.max_variable = field.as_string();
  if (name == "normalization") to.normalization = field.is_truthy();
  if (name == "backwards") to.backwards = field.is_truthy();
}

}  // namespace

collation_rules collation_of(wire::document_view spec) noexcept {
  collation_rules rules;
  if (const auto locale = wire::find_field(spec, "locale"); locale && locale->is_string()) {
    apply_locale(locale->as_string(), rules);
  }
  wire::document_reader reader{spec};
  for (element field; reader.next(field);) apply(field, rules);
  return rules;
}

std::optional<collation_rules> named_collation(const std::optional<element>& field) noexcept {
  const auto spec = field ? field->as_document() : std::nullopt;
  if (!spec || spec->is_empty()) return std::nullopt;
  return collation_of(*spec);
}

}  // namespace scattergate::routing
