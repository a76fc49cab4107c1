#pragma once

#include "telemetry/metrics/metric_row.hpp"
#include "telemetry/metrics/series_sink.hpp"
#include "telemetry/metrics/worker_totals.hpp"

namespace scattergate::telemetry {

/// The owners: the objects whose members hold the numbers that metric_list() refers to, as of
/// one scrape (a request for /metrics). Refers to the objects, except that `audit` and
/// `process` are copies.
struct counted_owners {
  worker_sums::workers_view workers;
  const daemon_facts& daemon;
  const check_facts& checks;
  audit_log::counts audit;  ///< the audit log's totals; zeros if there is no audit log
  process_stats process;
};

/// Adds to `to` every series of metric_list() whose value is read directly from a member of an
/// owner, not computed by code. Omits the catalog's series while the catalog isn't read from a
/// cluster.
void add_counted(series_sink& to, const counted_owners& owners);

}  // namespace scattergate::telemetry
