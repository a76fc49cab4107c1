#pragma once

#include <optional>
#include <string_view>

#include "routing/scratch.hpp"
#include "wire/bson.hpp"

namespace scattergate::routing {

/// A regular expression, from any of the forms in which a filter has one.
struct regex_parts {
  std::string_view pattern;
  std::string_view options;
};

/// The parts of a BSON regex; std::nullopt if it is corrupt.
[[nodiscard]] std::optional<regex_parts> regex_of(const wire::element& value) noexcept;

/// The text with which every match begins; empty if there is none or the options or the
/// pattern's form make it uncertain (mongo: query/index_bounds_builder.cpp, simpleRegex). In
/// `memory`; empty if that is exhausted.
[[nodiscard]] std::string_view literal_prefix(const regex_parts& regex,
                                              scratch& memory) noexcept;

}  // namespace scattergate::routing
