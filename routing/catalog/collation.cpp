#include "routing/catalog/collation.hpp"

#include <array>
#include <span>

namespace scattergate::routing {
namespace {

using wire::element;

/// Sets the locale and its defaults. A few locales have different defaults (MongoDB's manual,
/// "Collation Locales and Default Parameters").
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
  if (spec.is_empty()) return rules;
  // MongoDB knows ten fields and rejects any other, so no valid collation has more than this.
  constexpr std::size_t most_fields = 32;
  std::array<element, most_fields> fields;
  std::size_t count = 0;
  std::string_view locale;
  wire::document_reader reader{spec};
  while (count != fields.size() && reader.next(fields[count])) {
    const element& field = fields[count++];
    if (locale.empty() && field.key() == "locale" && field.is_string()) {
      locale = field.as_string();
    }
  }
  apply_locale(locale, rules);
  for (const element& field : std::span{fields}.first(count)) apply(field, rules);
  return rules;
}

std::optional<collation_rules> named_collation(const std::optional<element>& field) noexcept {
  const auto spec = field ? field->as_container() : std::nullopt;
  if (!spec || spec->is_empty()) return std::nullopt;
  return collation_of(*spec);
}

std::optional<bool> names_simple(const std::optional<element>& collation) noexcept {
  const auto named = named_collation(collation);
  return named ? std::optional{named->is_simple()} : std::nullopt;
}

}  // namespace scattergate::routing
