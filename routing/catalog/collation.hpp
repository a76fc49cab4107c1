#pragma once

#include <optional>

#include "wire/bson.hpp"

namespace scattergate::routing {

/// A collation's options, comparable with ==. Options that the collation document omits have
/// MongoDB's defaults. Contains views into the document.
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
/// An empty document gives the simple collation. A non-empty document without a locale, which
/// mongos rejects, gives a collation that isn't simple.
[[nodiscard]] collation_rules collation_of(wire::document_view spec) noexcept;

/// Parses a command's argument `collation`. std::nullopt if the argument is missing, empty or
/// not a document, so that the collection's default applies.
[[nodiscard]] std::optional<collation_rules> named_collation(
    const std::optional<wire::element>& field) noexcept;

/// Whether a command's argument `collation` specifies the simple collation. std::nullopt if it
/// is missing, empty or not a document, so that the collection's default applies.
[[nodiscard]] std::optional<bool> names_simple(
    const std::optional<wire::element>& collation) noexcept;

}  // namespace scattergate::routing
