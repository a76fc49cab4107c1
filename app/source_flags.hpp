#pragma once

#include <optional>
#include <string>

#include "report/sources/selection.hpp"
#include "text/problem.hpp"

/// Parses flags of the subcommands that read sources.
namespace scattergate::app {

/// Parses `--as`, the kind of the sources; std::nullopt if the flag isn't given. Returns a
/// problem for an unknown kind.
[[nodiscard]] text::result<std::optional<report::source_kind>> read_kind(
    const std::optional<std::string>& text);

/// Parses `--since` and `--until`: a time, a day, or an age (see instant_of()). Sets only these
/// two members of the result. Returns a problem for an invalid text.
[[nodiscard]] text::result<report::choice> read_window(const std::optional<std::string>& since,
                                                       const std::optional<std::string>& until);

}  // namespace scattergate::app
