#pragma once

#include <string_view>

#include "routing/command_kind.hpp"
#include "routing/shape_form.hpp"

/// The form that each part of a command has in a shape, by its name and position (rules:
/// docs/shapes.md).
namespace scattergate::routing {

/// The form of the argument `name` of commands of this kind.
[[nodiscard]] form form_of_argument(command_kind kind, std::string_view name) noexcept;

/// The form of the field `name` in a document with the form `container`. REQUIRES: that isn't
/// `arguments`.
[[nodiscard]] form form_of_field(form container, std::string_view name) noexcept;

}  // namespace scattergate::routing
