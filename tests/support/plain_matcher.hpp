#pragma once

#include "wire/bson.hpp"

namespace scattergate::tests {

/// Whether a document matches a filter. Tests compare the result with routing's predictions.
/// The implementation follows MongoDB's manual in the simplest way. Supports the operators that
/// the tests generate: $and, $or, $nor, $expr with comparisons, $not, $eq, $ne, $gt, $gte, $lt,
/// $lte, $in, $nin, $exists, $type, $mod, $regex with a fixed beginning, $all. Throws
/// std::invalid_argument for other operators, and for arrays in documents.
[[nodiscard]] bool matches(wire::document_view filter, wire::document_view document);

}  // namespace scattergate::tests
