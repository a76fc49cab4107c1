#pragma once

#include "telemetry/metrics/metric_row.hpp"
#include "telemetry/metrics/series_sink.hpp"
#include "telemetry/metrics/worker_totals.hpp"

namespace scattergate::telemetry {

/// The objects whose members metric_list names, for one scrape.
struct counted_owners {
  worker_sums::workers_view workers;
  const daemon_facts& daemon;
  const check_facts& checks;
  audit_log::counts audit;
  process_stats process;
};

/// Adds all series whose value is a single number.
void add_counted(series_sink& to, const counted_owners& owners);

}  // namespace scattergate::telemetry
