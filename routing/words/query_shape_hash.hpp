#pragma once

#include <string>

#include "routing/catalog/catalog.hpp"
#include "wire/command.hpp"

namespace scattergate::routing {

/// Whether query_shape_hash() can know any under this catalog, by the version that it states.
[[nodiscard]] bool has_query_shape_hashes(const catalog& by) noexcept;

/// MongoDB's own name of a query's shape, as its slow log, explain and $queryStats print it
/// from 8.0 on (queryShapeHash): 64 upper-case hex digits, so that DBAs can join. Empty unless
/// it is certain, by vectors that servers of 8.0 to 9.0 have printed and by MongoDB's sources:
/// a find, under a catalog that says its version, whose filter compares fields with numbers,
/// strings, dates, booleans and ObjectIds (docs/report.md). Allocates: for shapes seen first.
[[nodiscard]] std::string query_shape_hash(const wire::command& command, const catalog& by);

}  // namespace scattergate::routing
