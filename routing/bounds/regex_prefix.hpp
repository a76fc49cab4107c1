#pragma once

#include <optional>
#include <string_view>

#include "routing/bounds/filter_fault.hpp"
#include "routing/catalog/catalog.hpp"
#include "routing/scratch.hpp"
#include "wire/bson.hpp"

namespace scattergate::routing {

/// A regular expression in a filter, whether it is a BSON regex or a `$regex` with `$options`.
struct regex_parts {
  std::string_view pattern;
  std::string_view options;
};

/// The parts of a BSON regex; std::nullopt if it is corrupt.
[[nodiscard]] std::optional<regex_parts> regex_of(const wire::element& value) noexcept;

/// The fault with which mongos rejects a regular expression; `none` if no fault is certain.
/// Finds an unknown option, which versions before 5.1 ignore (SERVER-26991), an unmatched
/// bracket, and a quantifier with nothing to repeat (mongo: matcher/expression_leaf.cpp,
/// RegexMatchExpression; util/pcre_util.cpp, flagsToOptions). Finds no fault in a pattern whose
/// option is x, or that contains a construct which isn't examined here: `(?`, `(*`, `\Q`, `\c`,
/// or `[` within brackets.
[[nodiscard]] filter_fault fault_of(const regex_parts& regex, server_version version) noexcept;

/// The literal text with which every matching string begins: "ab" for /^ab/ (mongo:
/// query/index_bounds_builder.cpp, simpleRegex). Empty if there is none, if it isn't certain,
/// or if `memory` is exhausted.
[[nodiscard]] std::string_view literal_prefix(const regex_parts& regex,
                                              scratch& memory) noexcept;

}  // namespace scattergate::routing
