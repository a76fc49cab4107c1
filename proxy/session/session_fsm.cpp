#include "proxy/session/session_fsm.hpp"

#include "net/failing_memory.hpp"

namespace scattergate::proxy {

bool session_fsm::is_idle(std::size_t unread_requests) const noexcept {
  if (!is_between_requests(unread_requests) || !replies_.is_between()) return false;
  for (const pending_request* each = pending_.first(); each != nullptr;
       each = each->next.get()) {
    if (!each->is_waiting_hello()) return false;
  }
  return true;
}

void session_fsm::end(clock::time_point now) noexcept {
  net::done_unless_memory_fails([&] { requests_.end(now); });
  while (!pending_.is_empty()) {
    // If that runs out of memory, the request has left the queue uncounted: there are no
    // counters for its namespace.
    net::done_unless_memory_fails([&] { replies_.settle_front({now, false, {}}); });
  }
}

}  // namespace scattergate::proxy
