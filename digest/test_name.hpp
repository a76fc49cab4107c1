#pragma once

#include <string>

namespace scattergate::digest {

/// Removes the name of a test from a command's comment: `test='NAME'`, percent-encoded, as
/// deploy/callsites and sqlcommenter write it, with the separator next to it. Returns the
/// decoded name; empty if there is none. The closing quote may be missing, because long
/// comments are truncated.
[[nodiscard]] std::string take_test_name(std::string& comment);

}  // namespace scattergate::digest
