#pragma once

#include "wire/bson.hpp"

namespace scattergate::tests {

/// Whether a document matches a filter, in the slow and obvious way from MongoDB's manual;
/// tests compare routing's predictions with it. Knows the operators that the tests generate
/// ($and, $or, $nor, $expr with comparisons, $not, $eq, $ne, $gt, $gte, $lt, $lte, $in, $nin,
/// $exists, $type, $mod, $regex with a fixed beginning, $all) and no arrays in documents.
/// Throws std::invalid_argument at anything else.
[[nodiscard]] bool matches(wire::document_view filter, wire::document_view document);

}  // namespace scattergate::tests
