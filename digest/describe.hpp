#pragma once

#include <string>

#include "digest/row.hpp"
#include "routing/verdict.hpp"
#include "wire/command.hpp"

namespace scattergate::digest {

/// Builds the description of a shape from the verdict on one command with this shape.
/// `shape_json`: the shape as JSON; for a batch without its statements, {"statements":"not
/// logged"}; empty if unknown. Allocates.
[[nodiscard]] description describe(const routing::verdict& verdict,
                                   const wire::command& command, std::string shape_json);

}  // namespace scattergate::digest
