#pragma once

#include <string>
#include <string_view>

#include "digest/sketch/sketch_table.hpp"
#include "text/problem.hpp"

/// One collection's line of stored sketches (digest/sketch/stored_sketches.hpp).
namespace scattergate::digest {

void append_sketch_line(std::string& to, const collection_sketch& of);

/// Adds what a line tells to `to`; what is wrong, where it is no such line, and then some of it
/// may be there.
[[nodiscard]] text::result<void> read_sketch_line(std::string_view line, sketch_table& to);

}  // namespace scattergate::digest
