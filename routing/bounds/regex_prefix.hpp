#pragma once

#include <optional>
#include <string_view>

#include "routing/bounds/filter_fault.hpp"
#include "routing/scratch.hpp"
#include "wire/bson.hpp"

namespace scattergate::routing {

/// A regular expression in a filter, in any of its forms.
struct regex_parts {
  std::string_view pattern;
  std::string_view options;
};

/// The parts of a BSON regex; std::nullopt if it is corrupt.
[[nodiscard]] std::optional<regex_parts> regex_of(const wire::element& value) noexcept;

/// The fault for which mongos rejects a regular expression, if that is certain: an option that
/// it doesn't know, a bracket without its partner, or a repetition of nothing (mongo:
/// matcher/expression_leaf.cpp, RegexMatchExpression; util/pcre_util.cpp, flagsToOptions).
/// Groups with options, comments or verbs aren't examined.
[[nodiscard]] filter_fault fault_of(const regex_parts& regex) noexcept;

/// The literal text with which every match begins (mongo: query/index_bounds_builder.cpp,
/// simpleRegex). Empty if there is none, it isn't certain, or `memory` is exhausted.
[[nodiscard]] std::string_view literal_prefix(const regex_parts& regex,
                                              scratch& memory) noexcept;

}  // namespace scattergate::routing
