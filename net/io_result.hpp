#pragma once

#include <cstddef>
#include <cstdint>

namespace scattergate::net {

/// The outcome of a read, a write or a handshake.
struct io_result {
  /// How the operation ended.
  enum class status : std::uint8_t {
    done,     ///< `bytes` were read or written, or the handshake has completed; a TLS read may
              ///< return 0 bytes
    blocked,  ///< would block; retry when the event_loop reports the socket as ready
    ended,    ///< the peer sends no more bytes (end of stream)
    failed,   ///< the connection is broken
  };
  status what = status::blocked;  ///< how the operation ended
  std::size_t bytes = 0;  ///< number of bytes read or written; 0 unless `what` is `done`
};

}  // namespace scattergate::net
