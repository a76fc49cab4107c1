#pragma once

#include <string>

#include "digest/row.hpp"
#include "routing/verdict.hpp"
#include "wire/command.hpp"

namespace scattergate::digest {

/// Describes a shape by the verdict on one of its commands. `shape_json`: its text or a
/// substitute. Allocates.
[[nodiscard]] description describe(const routing::verdict& verdict,
                                   const wire::command& command, std::string shape_json);

}  // namespace scattergate::digest
