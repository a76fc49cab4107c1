#pragma once

#include "routing/bounds/filter_walk.hpp"
#include "routing/statements/pipeline.hpp"
#include "routing/statements/statement.hpp"
#include "routing/statements/write_rules.hpp"

namespace scattergate::routing {

/// Judges commands on time series. Their filters and documents have the fields of
/// measurements; the shard key has fields of the buckets, which contain measurements. MongoDB
/// has sharded time series since 5.1.

/// Translates a filter on measurements into one on buckets, and adds it to `walk`, whose
/// collection contains the buckets. Conditions without a translation are omitted. Returns false
/// and sets `fault` if mongos rejects the filter or it can't be read. `by_time`: whether to
/// translate conditions on the time field.
[[nodiscard]] bool add_measurement_filter(filter_walk& walk, wire::document_view filter,
                                          const time_series& series, bool by_time,
                                          filter_fault& fault, scratch& memory) noexcept;

/// Whether a mongos of the catalog's version derives bounds on the buckets' minimum time from a
/// filter's conditions on the time field.
[[nodiscard]] bool derives_time_bounds(const catalog& entries) noexcept;

/// Judges a write on a collection, or on the measurements of a time series if on.series is set.
/// REQUIRES: on.sharded isn't null.
[[nodiscard]] statement judge(const filtered_write& write, const resolved_namespace& on,
                              const judging_context& context) noexcept;
/// Judges the insertion of a document into a collection, or of a measurement into a time series
/// if on.series is set. REQUIRES: on.sharded isn't null.
[[nodiscard]] statement judge_insert(wire::document_view document, const resolved_namespace& on,
                                     const judging_context& context) noexcept;

/// Judges a pipeline that reads the measurements of a time series. mongos unpacks measurements
/// from buckets, and moves the conditions of the leading $match stages before the unpacking,
/// translated to buckets (mongo: DocumentSourceInternalUnpackBucket, doOptimizeAt). mongos also
/// moves later conditions, which this function ignores. If they may change the bounds of the
/// leading conditions, it predicts all shards that mongos may ask. `chain`: the views of
/// `source`; the collection at its end contains the buckets. `walk`: a walk over this
/// collection, without a filter yet.
[[nodiscard]] statement judge_measurements(const pipeline_source& source,
                                           const view_chain& chain, filter_walk& walk,
                                           const judging_context& context) noexcept;

}  // namespace scattergate::routing
