#pragma once

#include <string>

#include "routing/catalog/catalog.hpp"
#include "wire/command.hpp"

namespace scattergate::routing {

/// Whether query_shape_hash() can return any hash under this catalog, by its stated version.
[[nodiscard]] bool has_query_shape_hashes(const catalog& by) noexcept;

/// MongoDB's own hash of a query's shape, as its slow log, explain and $queryStats print it
/// from 8.0 on (queryShapeHash): 64 upper-case hex digits, so that DBAs can join on it. Empty
/// unless it is certain, as verified against hashes that servers of 8.0 to 9.0 printed and
/// against MongoDB's sources: a find, under a catalog that states its version, whose filter
/// compares fields with numbers, strings, dates, booleans and ObjectIds (docs/report.md).
/// Allocates: call it for new shapes only.
[[nodiscard]] std::string query_shape_hash(const wire::command& command, const catalog& by);

}  // namespace scattergate::routing
