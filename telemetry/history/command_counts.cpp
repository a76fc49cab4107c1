#include "telemetry/history/command_counts.hpp"

namespace scattergate::telemetry {

std::string_view name_of(std::size_t kind) noexcept {
  switch (kind) {
    case command_counts::findings:
      return "findings";
    case command_counts::accepted:
      return "accepted";
    case command_counts::get_more:
      return "getMore";
    case command_counts::errors:
      return "errors";
    case command_counts::wasted:
      return "wastedShardRequests";
    case command_counts::fanout_known:
      return "fanoutKnown";
    case command_counts::refused:
      return "refused";
    case command_counts::scattering:
      return "scattering";
    default:
      return label(static_cast<routing::routing_class>(kind));
  }
}

}  // namespace scattergate::telemetry
