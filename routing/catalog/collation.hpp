#pragma once

#include <optional>

#include "wire/bson.hpp"

namespace scattergate::routing {

/// A collation's rules, with MongoDB's defaults where a document doesn't name them, so that
/// two of them can be compared. Views into the document that was read.
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

/// Reads {locale, strength, ...}; fields that MongoDB doesn't know, and its `version`, count
/// for nothing. An empty document is the simple collation; one that names no locale, which
/// mongos refuses, isn't.
[[nodiscard]] collation_rules collation_of(wire::document_view spec) noexcept;

/// The collation that a command names: nothing where it names none, or an empty one.
[[nodiscard]] std::optional<collation_rules> named_collation(
    const std::optional<wire::element>& field) noexcept;

/// Whether the collation that a command names is the simple one; nothing where it names none,
/// so that the collection's holds. The one answer to that question.
[[nodiscard]] std::optional<bool> names_simple(
    const std::optional<wire::element>& collation) noexcept;

}  // namespace scattergate::routing
