#pragma once

#include "routing/statements/statement.hpp"
#include "routing/statements/write_rules.hpp"

/// What is asked of a time series: filters and documents name the fields of measurements, the
/// shard key those of buckets. Sharded time series are there since 5.1.
namespace scattergate::routing {

/// Adds what a filter on measurements says of their buckets; false where mongos refuses the
/// filter, or it can't be read: `fault` then. `by_time`: predicates on the time count.
[[nodiscard]] bool add_measurement_filter(filter_walk& walk, wire::document_view filter,
                                          const time_series& series, bool by_time,
                                          filter_fault& fault, scratch& memory) noexcept;

/// Whether mongos bounds the least time of buckets by what is asked of the time.
[[nodiscard]] bool bounds_time(const catalog& entries) noexcept;

/// The same as for a collection, where what was resolved to is a time series, too.
/// REQUIRES: on.sharded isn't null.
[[nodiscard]] statement judge(const filtered_write& write, const resolved_namespace& on,
                              const judging& with) noexcept;
[[nodiscard]] statement judge_insert(wire::document_view document, const resolved_namespace& on,
                                     const judging& with) noexcept;

}  // namespace scattergate::routing
