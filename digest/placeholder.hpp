#pragma once

#include <cstdint>
#include <string_view>

#include "wire/bson_writer.hpp"

namespace scattergate::digest {

/// Writes some value of the type that a shape's placeholder names
/// (routing/shape/placeholder.hpp has the table of them). Of the values of one type, one of a
/// greater rank is greater, where there are such. False where no value can be made up.
/// REQUIRES: rank isn't negative.
[[nodiscard]] bool write_placeholder(std::string_view name, std::string_view placeholder,
                                     std::int32_t rank, wire::bson_writer& to);

}  // namespace scattergate::digest
