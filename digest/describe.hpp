#pragma once

#include <string>

#include "digest/row.hpp"
#include "routing/verdict.hpp"
#include "wire/command.hpp"

namespace scattergate::digest {

/// What is said of a shape of which this command was judged so. `shape_json`: its text, or what
/// stands for it. Allocates.
[[nodiscard]] description describe(const routing::verdict& verdict,
                                   const wire::command& command, std::string shape_json);

}  // namespace scattergate::digest
