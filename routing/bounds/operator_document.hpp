#pragma once

#include "wire/bson.hpp"

namespace scattergate::routing {

/// Whether `value` is a document of operators: the name of its first field begins with `$`.
/// False for a literal document, and for a reference to another document ($ref, $id, $db).
[[nodiscard]] bool is_operator_document(const wire::element& value) noexcept;

}  // namespace scattergate::routing
