#pragma once

#include <cstdint>
#include <memory>

#include "config/options/rule.hpp"
#include "proxy/judging/pending_request.hpp"
#include "proxy/throttle/throttle.hpp"

namespace scattergate::proxy {

/// What to do with a request.
enum class disposition : std::uint8_t {
  forward,  ///< send it to mongos
  drop,     ///< discard it, because it is rejected
  close,    ///< close the connection, because the request may authenticate by MONGODB-X509
            ///< (x509_guard.hpp)
};

/// A request that waits for its throttle (the rate limiter of a rule). When the wait ends, call
/// throttling::admit() or throttling::refuse().
struct held_request {
  std::unique_ptr<pending_request> pending;  ///< the request
  std::shared_ptr<throttle> by;              ///< the throttle that must admit the request
  std::shared_ptr<const config::rule> rule;  ///< the rule whose throttle holds the request
  clock::time_point until;   ///< the latest end of the request's wait; set if `is_in_queue`
  throttle::place place;     ///< the request's place in the throttle's queue, if `is_in_queue`
  bool is_in_queue = false;  ///< the request is in the throttle's queue; to enter, it must be
                             ///< complete, and the next that mongos would answer
  bool is_unanswered = false;  ///< the client expects no reply
};

/// The inspector's decision on a request.
struct inspection {
  disposition outcome = disposition::forward;  ///< ignored if `held` is set
  std::unique_ptr<pending_request> pending;  ///< to push to the pending_queue; null: the client
                                             ///< gets no reply, or the request is held
  std::unique_ptr<held_request> held{};  ///< set if a throttle must admit the request first;
                                         ///< otherwise null
};

}  // namespace scattergate::proxy
