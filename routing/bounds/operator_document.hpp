#pragma once

#include "wire/bson.hpp"

namespace scattergate::routing {

/// Whether `value` is a document whose first field is an operator, rather than a literal or a
/// reference ($ref, $id, $db).
[[nodiscard]] bool is_operator_document(const wire::element& value) noexcept;

}  // namespace scattergate::routing
