#pragma once

#include "telemetry/metrics/metric_row.hpp"
#include "telemetry/metrics/series_sink.hpp"
#include "telemetry/metrics/worker_totals.hpp"

namespace scattergate::telemetry {

/// The objects ("owners") whose members hold the numbers that metric_list() names, for one
/// scrape (a request for /metrics). References, except that `audit` and `process` are copies.
struct counted_owners {
  worker_sums::workers_view workers;
  const daemon_facts& daemon;
  const check_facts& checks;
  audit_log::counts audit;  ///< the audit log's totals; zeros if there is no audit log
  process_stats process;
};

/// Adds every series of metric_list() whose value is a member of an owner, not computed by
/// code, to `to`. Omits the series about reading the catalog while the catalog isn't read from
/// a cluster.
void add_counted(series_sink& to, const counted_owners& owners);

}  // namespace scattergate::telemetry
