#pragma once

#include <string_view>

#include "routing/command_kind.hpp"
#include "routing/shape_form.hpp"

/// How each part of a command is written in a shape, by its name and position (docs/shapes.md
/// describes the rules).
namespace scattergate::routing {

/// The form of the argument `name` of a command of this kind.
[[nodiscard]] form form_of_argument(command_kind kind, std::string_view name) noexcept;

/// The form of the field `name` in a document that has the form `container`, other than
/// `arguments`.
[[nodiscard]] form form_of_field(form container, std::string_view name) noexcept;

}  // namespace scattergate::routing
