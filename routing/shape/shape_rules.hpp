#pragma once

#include <string_view>

#include "routing/command_kind.hpp"
#include "routing/shape_form.hpp"

/// Which form (shape_form.hpp) each part of a command has in the shape, depending on the part's
/// name and position (rules: docs/shapes.md).
namespace scattergate::routing {

/// The form of the argument `name` in the shapes of commands of this kind.
[[nodiscard]] form form_of_argument(command_kind kind, std::string_view name) noexcept;

/// The form of the field `name` in a document whose own form is `container`. REQUIRES:
/// `container` isn't form::arguments.
[[nodiscard]] form form_of_field(form container, std::string_view name) noexcept;

}  // namespace scattergate::routing
