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

void distribution::add(const distribution& other) {
  for (std::size_t i = 0; i < by_command.size(); ++i) by_command[i] += other.by_command[i];
  classes.single_shard += other.classes.single_shard;
  classes.multi_shard += other.classes.multi_shard;
  classes.scatter_gather += other.classes.scatter_gather;
  if (by_range.size() < other.by_range.size()) by_range.resize(other.by_range.size());
  for (std::size_t i = 0; i < other.by_range.size(); ++i) by_range[i] += other.by_range[i];
  key_updates += other.key_updates;
  single_without_key += other.single_without_key;
  multi_without_key += other.multi_without_key;
}

std::optional<double> key_values::hottest() const noexcept {
  if (requests == 0 || common.empty()) return std::nullopt;
  return common.front().frequency / requests;
}

}  // namespace scattergate::advise
