#pragma once

#include <optional>
#include <string_view>

namespace scattergate::routing {

/// The path of the field to which an expression's text refers: "a.b" for "$a.b",
/// "$$CURRENT.a.b" and "$$ROOT.a.b". std::nullopt if the text refers to no field of the current
/// document.
[[nodiscard]] std::optional<std::string_view> field_reference(std::string_view text) noexcept;

}  // namespace scattergate::routing
