#pragma once

#include <string>
#include <string_view>

#include "digest/row.hpp"
#include "routing/verdict.hpp"
#include "wire/command.hpp"

namespace scattergate::digest {

/// Makes the description of a shape (a command without its values), from one command with this
/// shape and its verdict. `shape_json`: the shape as JSON; empty if unknown. For a batch whose
/// statements a log omits, it is {"statements":"not logged"}. `driver`: the name of the
/// sender's driver, for the advice; empty if unknown. Allocates.
[[nodiscard]] description describe(const routing::verdict& verdict,
                                   const wire::command& command, std::string shape_json,
                                   std::string_view driver = {});

}  // namespace scattergate::digest
