#pragma once

#include <cstdint>
#include <memory>

#include "config/options/rule.hpp"
#include "proxy/judging/pending_request.hpp"
#include "proxy/throttle/throttle.hpp"

namespace scattergate::proxy {

/// What becomes of a request.
enum class disposition : std::uint8_t {
  forward,  ///< it goes on to mongos
  drop,     ///< it doesn't, being rejected
  close,    ///< it may be MONGODB-X509 (x509_guard.hpp): the connection must not go on
};

/// A request that goes on only when its throttle lets it: throttling::admit() or refuse() says
/// what becomes of it then.
struct held_request {
  std::unique_ptr<pending_request> pending;
  std::shared_ptr<throttle> by;
  std::shared_ptr<const config::rule> rule;  ///< whose throttle that is
  clock::time_point until;                   ///< at the latest, once it is in the queue
  throttle::place place;                     ///< where it is in the throttle's queue
  bool is_in_queue = false;                  ///< `place` is
  bool is_unanswered = false;                ///< no reply will come
};

/// What the inspector made of a request.
struct inspection {
  disposition how = disposition::forward;
  std::unique_ptr<pending_request> pending;  ///< null: no reply will come
  std::unique_ptr<held_request> held{};      ///< what goes on only then; null: it does at once
};

}  // namespace scattergate::proxy
