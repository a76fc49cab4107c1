#pragma once

#include <string>

#include "routing/catalog/catalog.hpp"
#include "wire/command.hpp"

namespace scattergate::routing {

/// Whether query_shape_hash() can return hashes with this catalog, by its stated version.
[[nodiscard]] bool has_query_shape_hashes(const catalog& by) noexcept;

/// Computes MongoDB's queryShapeHash, as its slow log, explain and $queryStats print it from
/// 8.0 on: 64 upper-case hex digits. Empty unless the result is certain: only for a find whose
/// filter compares fields with numbers, strings, dates, booleans and ObjectIds, and a catalog
/// that states its version (docs/report.md). Verified against servers of 8.0 to 9.0 and
/// MongoDB's sources. Allocates, so call it for new shapes only.
[[nodiscard]] std::string query_shape_hash(const wire::command& command, const catalog& by);

}  // namespace scattergate::routing
