#pragma once

#include <cstdint>
#include <string_view>

#include "wire/bson_writer.hpp"

namespace scattergate::digest {

/// Writes the field `name` with a made-up value in place of a shape's placeholder: "?number" →
/// a number. All placeholders: routing/shape/placeholder.hpp. A greater `rank` gives a greater
/// value, if the type's values are ordered. Returns false if no value can be made up. REQUIRES:
/// `rank` isn't negative.
[[nodiscard]] bool write_placeholder(std::string_view name, std::string_view placeholder,
                                     std::int32_t rank, wire::bson_writer& to);

}  // namespace scattergate::digest
