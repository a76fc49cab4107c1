#pragma once

#include "routing/statements/statement.hpp"
#include "routing/statements/write_rules.hpp"

/// Judges commands on time series, whose filters and documents have the fields of measurements,
/// while the shard key has those of buckets. Sharded time series exist since 5.1.
namespace scattergate::routing {

/// Translates a filter on measurements and adds it to `walk`, which is over buckets. Returns
/// false and sets `fault` if mongos rejects the filter or it can't be read. `by_time`: whether
/// to use predicates on the time.
[[nodiscard]] bool add_measurement_filter(filter_walk& walk, wire::document_view filter,
                                          const time_series& series, bool by_time,
                                          filter_fault& fault, scratch& memory) noexcept;

/// Whether mongos of this version derives bounds of buckets' least time from predicates on the
/// time.
[[nodiscard]] bool bounds_time(const catalog& entries) noexcept;

/// Judges a write on a collection or a time series. REQUIRES: on.sharded isn't null.
[[nodiscard]] statement judge(const filtered_write& write, const resolved_namespace& on,
                              const judging& with) noexcept;
/// Judges the insertion of a document into a collection or a time series. REQUIRES: on.sharded
/// isn't null.
[[nodiscard]] statement judge_insert(wire::document_view document, const resolved_namespace& on,
                                     const judging& with) noexcept;

}  // namespace scattergate::routing
