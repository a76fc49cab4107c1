#include "telemetry/metrics/exposition.hpp"

namespace scattergate::telemetry {

std::string_view content_type_of(exposition_format format) noexcept {
  return format == exposition_format::openmetrics
             ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
             : "text/plain; version=0.0.4; charset=utf-8";
}

std::string exposition::text(exposition_format format) const {
  const std::lock_guard lock{mutex_};
  writer_.set_format(format);
  metrics_.collect(writer_);
  return writer_.take();
}

std::string exposition_text(const metrics_collector& metrics, exposition_format format) {
  return exposition{metrics}.text(format);
}

}  // namespace scattergate::telemetry
