#pragma once

#include <optional>
#include <string_view>

namespace scattergate::routing {

/// The path in a reference to a field of the document: "$a.b", "$$CURRENT.a.b", "$$ROOT.a.b";
/// std::nullopt for any other text.
[[nodiscard]] std::optional<std::string_view> field_reference(std::string_view text) noexcept;

}  // namespace scattergate::routing
