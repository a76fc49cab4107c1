#include "proxy/session/session_fsm.hpp"

#include "net/failing_memory.hpp"

namespace scattergate::proxy {

// Invariants:
//   - pending_ has the requests that may get a reply, in the client's order, including rejected
//     ones. mongos answers in that order: a reply to a later request means that the requests
//     before it won't be answered.
//   - A rejection is injected only if it is first in pending_ (apart from requests that may
//     stay unanswered) and no reply is partly forwarded.
//   - There is one current request and one current reply. Only the steps `forward` and `drop`
//     consume bytes. After any other step, the caller passes the same bytes again.
//   - request_side: header_.length is 0 until the current request's header has been read, and
//     again once the request's bytes pass. passing_ counts its bytes that are still to pass.
//
// Example: the client sends a find (requestID 7) and a delete (8), which a rule rejects.
//
//   call                                        step                     pending_ afterwards
//   next_request(find, delete)                  forward the find         7
//   next_request(delete)                        drop the delete          7, 8 (rejected)
//   next_reply(nothing)                         need a header            7, 8
//   next_reply(first half of the reply to 7)    forward it               7 (answered), 8
//   next_reply(second half)                     forward it               8
//   next_reply(nothing)                         inject the rejection     (empty)

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
    // Without memory for new counters of its namespace, the request leaves the queue uncounted.
    net::done_unless_memory_fails([&] { replies_.settle_front({now, false, {}}); });
  }
}

}  // namespace scattergate::proxy
