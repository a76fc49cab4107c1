#pragma once

#include <string_view>

namespace scattergate::report {

/// Whether a top-level field controls how a command is run, not what it does: sessions, times,
/// signatures, versions. Verdicts and shapes ignore these fields, so they are removed.
[[nodiscard]] bool is_ignored_field(std::string_view field) noexcept;

}  // namespace scattergate::report
