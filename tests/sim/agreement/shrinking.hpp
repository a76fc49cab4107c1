#pragma once

#include <functional>
#include <string>

#include "sim/values/value.hpp"

namespace scattergate::sim {

/// The smallest version of `command` for which `keeps` still returns true: removes fields of
/// documents and members of arrays one by one.
[[nodiscard]] document shrunk(document command,
                              const std::function<bool(const document&)>& keeps);

/// A command's shape as text: `find {k0: {$in: [n, s]}}`. Fields of the shard key become k0,
/// h1 (hashed), ..., other fields become x, and values become letters for their types.
[[nodiscard]] std::string shape_of(const document& command, const document& shard_key);

}  // namespace scattergate::sim
