#include "telemetry/finding.hpp"

#include "telemetry/namespace_map.hpp"

namespace scattergate::telemetry {

finding_key key_of(const finding_details& details) noexcept {
  return {.database = details.database,
          .collection = details.collection,
          .command = details.command,
          .shape_hash = details.shape_hash,
          .why = details.why,
          .action = details.action,
          .rule = details.rule};
}

std::shared_ptr<const finding_details> other_finding() {
  auto details = std::make_shared<finding_details>();
  details->database = other_label;
  details->routing = routing::routing_class::unknown;
  details->is_other = true;
  return details;
}

}  // namespace scattergate::telemetry
