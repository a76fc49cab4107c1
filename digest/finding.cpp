#include "digest/finding.hpp"

#include "routing/command_kind.hpp"

namespace scattergate::digest {

bool can_be_finding(const row& of) noexcept {
  const auto family = routing::family_of(routing::kind_of(of.command));
  const bool is_of_nature = of.what.why == routing::cause{routing::reason::by_nature};
  return family == routing::command_family::routed && !is_of_nature;
}

bool is_finding(const row& of) noexcept {
  const bool asks_too_many =
      of.what.routing == routing::routing_class::scatter_gather || of.exceeds_fanout;
  return (asks_too_many && can_be_finding(of)) || is_refused(of);
}

bool is_refused(const row& of) noexcept {
  if (!is_error(of.what.why)) return false;
  const auto kind = routing::kind_of(of.command);
  const auto family = routing::family_of(kind);
  if (family == routing::command_family::by_nature) {
    return of.what.why != routing::cause{routing::reason::refused};
  }
  return family == routing::command_family::routed &&
         (!of.collection.empty() || routing::facts_of(kind).is_write);
}

std::uint64_t accepted_count(const row& of) noexcept {
  return of.run.actions[static_cast<std::size_t>(finding_action::accepted)];
}

bool is_accepted(const row& of) noexcept {
  return are_all_accepted(of.run.actions);
}

}  // namespace scattergate::digest
