#pragma once

#include <string>

#include "digest/row.hpp"
#include "routing/verdict.hpp"

namespace scattergate::digest {

/// What is said of a shape of which a command was judged so. `shape_json`: its text, or what
/// stands for it. Allocates.
[[nodiscard]] description describe(const routing::verdict& verdict, std::string shape_json);

}  // namespace scattergate::digest
