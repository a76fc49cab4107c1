#pragma once

#include <functional>
#include <string>

#include "sim/values/value.hpp"

namespace scattergate::sim {

/// Removes optional parts of `command`, one by one, as long as `keeps` returns true for the
/// rest: conditions of filters, stages, operations of a bulkWrite, options. Returns the
/// smallest command found. REQUIRES: `keeps` returns true for `command`.
[[nodiscard]] document shrunk(document command,
                              const std::function<bool(const document&)>& keeps);

/// A command without its values and field names, as text: `find {k0: {$in: [n, s]}}`. The shard
/// key's fields become k0, or h1 if hashed, with their position in the key. Other fields except
/// `_id` become x. A value becomes a letter for its type.
[[nodiscard]] std::string shape_of(const document& command, const document& shard_key);

}  // namespace scattergate::sim
