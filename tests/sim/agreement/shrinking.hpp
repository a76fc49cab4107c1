#pragma once

#include <functional>
#include <string>

#include "sim/values/value.hpp"

namespace scattergate::sim {

/// The command with all taken out of it that `keeps` can do without: fields of documents and
/// members of lists, one by one.
[[nodiscard]] document shrunk(document command,
                              const std::function<bool(const document&)>& keeps);

/// A command's shape: fields of the key as k0, h1 (hashed), ..., others as x, values as
/// letters: `find {k0: {$in: [n, s]}}`.
[[nodiscard]] std::string shape_of(const document& command, const document& shard_key);

}  // namespace scattergate::sim
