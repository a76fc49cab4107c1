#pragma once

#include <cstdint>
#include <memory>

#include "config/options/rule.hpp"
#include "proxy/judging/pending_request.hpp"
#include "proxy/throttle/throttle.hpp"

namespace scattergate::proxy {

/// The action on a request.
enum class disposition : std::uint8_t {
  forward,  ///< send it to mongos
  drop,     ///< discard it: it is rejected
  close,    ///< close the connection: it may be MONGODB-X509 (x509_guard.hpp)
};

/// A request that waits for its throttle. When the wait ends, call throttling::admit() or
/// refuse().
struct held_request {
  std::unique_ptr<pending_request> pending;
  std::shared_ptr<throttle> by;
  std::shared_ptr<const config::rule> rule;  ///< the rule whose throttle holds it
  clock::time_point until;     ///< the end of its maximum wait; set once it is in the queue
  throttle::place place;       ///< its position in the throttle's queue
  bool is_in_queue = false;    ///< `place` is in the queue
  bool is_unanswered = false;  ///< it has no reply
};

/// The inspector's decision on a request.
struct inspection {
  disposition how = disposition::forward;
  std::unique_ptr<pending_request> pending;  ///< null: there will be no reply
  std::unique_ptr<held_request>
      held{};  ///< set if the request waits for a throttle; otherwise null
};

}  // namespace scattergate::proxy
