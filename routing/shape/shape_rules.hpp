#pragma once

#include <string_view>

#include "routing/command_kind.hpp"
#include "routing/shape_form.hpp"

/// What a part of a command looks like in a shape, by its name and where it stands
/// (docs/shapes.md says the same in words).
namespace scattergate::routing {

/// The form of the argument `name` of a command of that kind.
[[nodiscard]] form form_of_argument(command_kind kind, std::string_view name) noexcept;

/// The form of the field `name` of a document that is written as `container`, which isn't
/// `arguments`.
[[nodiscard]] form form_of_field(form container, std::string_view name) noexcept;

}  // namespace scattergate::routing
