#pragma once

#include <optional>
#include <string_view>

namespace scattergate::routing {

/// The path in an expression that refers to a field of the current document: "a.b" for "$a.b",
/// "$$CURRENT.a.b" and "$$ROOT.a.b". std::nullopt for any other text.
[[nodiscard]] std::optional<std::string_view> field_reference(std::string_view text) noexcept;

}  // namespace scattergate::routing
