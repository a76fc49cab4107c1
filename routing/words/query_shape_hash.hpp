#pragma once

#include <string>

#include "routing/catalog/catalog.hpp"
#include "wire/command.hpp"

namespace scattergate::routing {

/// Whether query_shape_hash() can return hashes with the catalog `entries`: the catalog states
/// a version that has them.
[[nodiscard]] bool has_query_shape_hashes(const catalog& entries) noexcept;

/// Computes MongoDB's queryShapeHash, which the slow query log, explain and $queryStats show
/// since 8.0: 64 upper-case hex digits. Empty if the result isn't certain. It is certain only
/// for a find whose filter compares fields with numbers, strings, dates, booleans and
/// ObjectIds, and if the catalog `entries` states the server's version (docs/report.md).
/// Verified against servers 8.0 to 9.0 and MongoDB's sources. Allocates, so call this for new
/// shapes only.
[[nodiscard]] std::string query_shape_hash(const wire::command& command,
                                           const catalog& entries);

}  // namespace scattergate::routing
