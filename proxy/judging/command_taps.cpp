#include "proxy/judging/command_taps.hpp"

namespace scattergate::proxy {

void command_taps::leave_copies(const judged_subject& what, const judged_subject& deciding,
                                const pending_request& pending, routing::scratch& memory) {
  const auto kind = what.verdict.command;
  const auto now = pending.sent;
  if (pending.is_finding && pending.fresh != nullptr && samples.choose_finding(kind, now)) {
    samples.store(what.command, deciding.verdict, {true, what.is_abridged, pending.trace},
                  memory);
  }
  if (samples.choose(kind, now)) {
    samples.store(what.command, what.verdict,
                  {pending.is_finding, what.is_abridged, pending.trace}, memory);
  }
  if (checks->choose(what.verdict, now)) checks->offer(what.command);
}

}  // namespace scattergate::proxy
