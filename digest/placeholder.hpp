#pragma once

#include <cstdint>
#include <string_view>

#include "wire/bson_writer.hpp"

namespace scattergate::digest {

/// Writes a value of the type that a shape's placeholder names (table in
/// routing/shape/placeholder.hpp). Values of one type increase with the rank if the type is
/// ordered. False if no value can be made up. REQUIRES: rank isn't negative.
[[nodiscard]] bool write_placeholder(std::string_view name, std::string_view placeholder,
                                     std::int32_t rank, wire::bson_writer& to);

}  // namespace scattergate::digest
