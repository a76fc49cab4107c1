#pragma once

#include <optional>

#include "wire/bson.hpp"

namespace scattergate::routing {

/// A collation in comparable form, with MongoDB's defaults for fields that its document omits.
/// A view into that document.
struct collation_rules {
  std::string_view locale = "simple";
  std::string_view case_first = "off";
  std::string_view alternate = "non-ignorable";
  std::string_view max_variable = "punct";
  std::int64_t strength = 3;
  bool case_level = false;
  bool numeric_ordering = false;
  bool normalization = false;
  bool backwards = false;

  [[nodiscard]] bool is_simple() const noexcept { return locale == "simple"; }
  friend bool operator==(const collation_rules&, const collation_rules&) = default;
};

/// Parses a collation document {locale, strength, ...}. Ignores `version` and unknown fields.
/// An empty document is the simple collation; one without a locale, which mongos rejects,
/// isn't.
[[nodiscard]] collation_rules collation_of(wire::document_view spec) noexcept;

/// The collation that a command specifies; std::nullopt if there is none or it is empty.
[[nodiscard]] std::optional<collation_rules> named_collation(
    const std::optional<wire::element>& field) noexcept;

/// Whether the collation that a command specifies is the simple one; std::nullopt if it
/// specifies none, so that the collection's default applies.
[[nodiscard]] std::optional<bool> names_simple(
    const std::optional<wire::element>& collation) noexcept;

}  // namespace scattergate::routing
