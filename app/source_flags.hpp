#pragma once

#include <optional>
#include <string>

#include "report/sources/selection.hpp"
#include "text/problem.hpp"

/// Flags of the subcommands that read sources.
namespace scattergate::app {

/// Parses `--as`; unset if the flag is.
[[nodiscard]] text::result<std::optional<report::source_kind>> read_kind(
    const std::optional<std::string>& text);

/// Parses `--since` and `--until`, in the forms of instant_of(). The rest of the choice is left
/// as it is by default.
[[nodiscard]] text::result<report::choice> read_window(const std::optional<std::string>& since,
                                                       const std::optional<std::string>& until);

}  // namespace scattergate::app
