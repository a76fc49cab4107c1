#pragma once

#include "routing/statements/statement.hpp"
#include "routing/statements/write_rules.hpp"

/// Commands on a time series: filters and documents have the fields of measurements, the shard
/// key those of buckets. Sharded time series exist since 5.1.
namespace scattergate::routing {

/// Translates a filter on measurements and adds it to the walk over buckets; false if mongos
/// rejects the filter or it can't be read, with the reason in `fault`. `by_time`: predicates on
/// the time count.
[[nodiscard]] bool add_measurement_filter(filter_walk& walk, wire::document_view filter,
                                          const time_series& series, bool by_time,
                                          filter_fault& fault, scratch& memory) noexcept;

/// Whether mongos derives bounds of the buckets' least time from predicates on the time.
[[nodiscard]] bool bounds_time(const catalog& entries) noexcept;

/// Judges a write on a namespace that resolves to a collection or a time series. REQUIRES:
/// on.sharded isn't null.
[[nodiscard]] statement judge(const filtered_write& write, const resolved_namespace& on,
                              const judging& with) noexcept;
[[nodiscard]] statement judge_insert(wire::document_view document, const resolved_namespace& on,
                                     const judging& with) noexcept;

}  // namespace scattergate::routing
