#pragma once

#include "telemetry/metrics/metric_row.hpp"
#include "telemetry/metrics/series_sink.hpp"
#include "telemetry/metrics/worker_totals.hpp"

namespace scattergate::telemetry {

/// Where the members that metric_list names are read from, during one scrape.
struct counted_owners {
  worker_sums::workers_view workers;
  const daemon_facts& daemon;
  const check_facts& checks;
  audit_log::counts audit;
  process_stats process;
};

/// Adds the series whose values are one number.
void add_counted(series_sink& to, const counted_owners& owners);

}  // namespace scattergate::telemetry
