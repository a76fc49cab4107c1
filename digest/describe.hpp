#pragma once

#include <string>

#include "digest/row.hpp"
#include "routing/verdict.hpp"
#include "wire/command.hpp"

namespace scattergate::digest {

/// Builds a shape's description from the verdict on one of its commands. `shape_json`: the
/// shape as JSON, or what a source has instead. Allocates.
[[nodiscard]] description describe(const routing::verdict& verdict,
                                   const wire::command& command, std::string shape_json);

}  // namespace scattergate::digest
