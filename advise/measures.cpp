#include "advise/measures.hpp"

namespace scattergate::advise {

void class_counts::add(routing::routing_class routing, double times) noexcept {
  switch (routing) {
    case routing::routing_class::not_routed:
    case routing::routing_class::unsharded:
    case routing::routing_class::single_shard:
      single_shard += times;
      break;
    case routing::routing_class::multi_shard:
      multi_shard += times;
      break;
    case routing::routing_class::unknown:
    case routing::routing_class::scatter_gather:
      scatter_gather += times;
      break;
  }
}

std::optional<double> key_values::hottest() const noexcept {
  if (requests == 0 || common.empty()) return std::nullopt;
  return common.front().frequency / requests;
}

}  // namespace scattergate::advise
