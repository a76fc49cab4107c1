#pragma once

#include "telemetry/metrics/metric_row.hpp"
#include "telemetry/metrics/series_sink.hpp"
#include "telemetry/metrics/worker_totals.hpp"

namespace scattergate::telemetry {

/// The objects that hold the numbers named in metric_list, for one scrape. A view, except for
/// `audit` and `process`.
struct counted_owners {
  worker_sums::workers_view workers;
  const daemon_facts& daemon;
  const check_facts& checks;
  audit_log::counts audit;
  process_stats process;
};

/// Adds to `to` all series that metric_list takes from one member of an owner.
void add_counted(series_sink& to, const counted_owners& owners);

}  // namespace scattergate::telemetry
