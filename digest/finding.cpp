#include "digest/finding.hpp"

#include "routing/command_kind.hpp"

namespace scattergate::digest {

bool can_be_finding(const row& of) noexcept {
  const auto family = routing::family_of(routing::kind_of(of.command));
  const bool is_of_nature = of.what.why == routing::cause{routing::reason::by_nature};
  return family == routing::command_family::routed && !is_of_nature;
}

bool is_finding(const row& of) noexcept {
  return of.what.routing == routing::routing_class::scatter_gather && can_be_finding(of);
}

std::uint64_t accepted_count(const row& of) noexcept {
  return of.run.actions[static_cast<std::size_t>(finding_action::accepted)];
}

bool is_accepted(const row& of) noexcept {
  return are_all_accepted(of.run.actions);
}

}  // namespace scattergate::digest
