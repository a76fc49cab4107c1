#pragma once

#include <cstddef>
#include <cstdint>

namespace scattergate::net {

/// The outcome of a read, a write or a handshake.
struct io_result {
  enum class status : std::uint8_t {
    done,     ///< `bytes` were read or written, or the handshake has completed; a TLS read may
              ///< return 0 bytes
    blocked,  ///< would block; retry when the event_loop reports the socket as ready
    ended,    ///< the peer has closed its side
    failed,   ///< the connection is broken
  };
  status what = status::blocked;
  std::size_t bytes = 0;  ///< 0 unless done
};

}  // namespace scattergate::net
