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

/// What the inspector made of a request.
struct inspection {
  disposition how = disposition::forward;
  std::unique_ptr<pending_request> pending;  ///< null: no reply will come

  /// Goes on only when this lets it: admit() or refuse() says what becomes of it then. Null: at
  /// once.
  std::shared_ptr<throttle> held_by{};
  std::shared_ptr<const config::rule> rule{};  ///< whose throttle that is
  bool is_unanswered = false;                  ///< of what is held: no reply will come
};

}  // namespace scattergate::proxy
