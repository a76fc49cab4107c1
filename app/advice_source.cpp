#include "app/advice_source.hpp"

#include "config/driver/proxied_uri.hpp"

namespace scattergate::app {

advise::input_gaps gaps_of(const report::report_model& model) {
  advise::input_gaps made;
  made.evicted_rows = model.table.evicted_rows();
  for (const report::source_facts& one : model.sources) {
    const auto skipped = [&](report::skip_reason why) {
      return one.tally.skipped[static_cast<std::size_t>(why)];
    };
    made.is_findings_only |= one.kind == report::source_kind::audit;
    made.has_fleet |= config::is_mongo_uri(one.name);
    made.truncated += skipped(report::skip_reason::truncated);
    made.redacted += skipped(report::skip_reason::redacted);
    if (one.threshold) made.threshold = one.threshold;
  }
  return made;
}

}  // namespace scattergate::app
