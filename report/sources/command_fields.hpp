#pragma once

#include <string_view>

namespace scattergate::report {

/// Whether a top-level field of a command says how it is run rather than what it asks:
/// sessions, times, signatures, versions. They are left out, as neither judging nor shapes look
/// at them.
[[nodiscard]] bool says_how_only(std::string_view field) noexcept;

}  // namespace scattergate::report
