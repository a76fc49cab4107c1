#pragma once

#include <string_view>

namespace scattergate::report {

/// Whether a top-level field of a command only controls how the command is run (sessions,
/// times, signatures, versions). The reader of logs removes such fields, because verdicts
/// and shapes (texts of commands without values) ignore them.
[[nodiscard]] bool is_ignored_field(std::string_view field) noexcept;

}  // namespace scattergate::report
