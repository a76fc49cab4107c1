#include "report/baseline/finding.hpp"

#include "routing/command_kind.hpp"

namespace scattergate::report {

bool is_finding(const digest::row& one) noexcept {
  if (one.what.routing != routing::routing_class::scatter_gather) return false;
  if (one.what.why == routing::cause{routing::reason::by_nature}) return false;
  return routing::family_of(routing::kind_of(one.command)) == routing::command_family::routed;
}

}  // namespace scattergate::report
