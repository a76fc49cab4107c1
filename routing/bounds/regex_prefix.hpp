#pragma once

#include <optional>
#include <string_view>

#include "routing/scratch.hpp"
#include "wire/bson.hpp"

namespace scattergate::routing {

/// A regular expression, in whichever of its forms the filter holds it.
struct regex_parts {
  std::string_view pattern;
  std::string_view options;
};

/// The parts of a BSON regex; nothing where it is corrupt.
[[nodiscard]] std::optional<regex_parts> regex_of(const wire::element& value) noexcept;

/// The text that every match begins with; empty where there is none, or the options or the
/// pattern's form forbid to tell (mongo: query/index_bounds_builder.cpp, simpleRegex). Lies in
/// `memory`; empty where that is exhausted.
[[nodiscard]] std::string_view literal_prefix(const regex_parts& regex,
                                              scratch& memory) noexcept;

}  // namespace scattergate::routing
