#include "telemetry/metrics/exposition.hpp"

#include <prometheus/text_serializer.h>

namespace scattergate::telemetry {

std::string exposition_text(const metrics_collector& metrics) {
  return prometheus::TextSerializer{}.Serialize(metrics.Collect());
}

}  // namespace scattergate::telemetry
