#pragma once

#include <cstdint>
#include <memory>

#include "proxy/judging/pending_request.hpp"

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
};

}  // namespace scattergate::proxy
