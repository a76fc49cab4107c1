#pragma once

#include <cstddef>
#include <cstdint>

namespace scattergate::net {

/// The outcome of a read, a write or a handshake.
struct io_result {
  enum class status : std::uint8_t {
    done,  ///< `bytes` were moved, or the handshake has completed; a read of 0 bytes: TLS data
           ///< without content
    blocked,  ///< nothing now; the loop reports when to retry
    ended,    ///< the peer has closed its side
    failed,   ///< the connection is broken
  };
  status what = status::blocked;
  std::size_t bytes = 0;
};

}  // namespace scattergate::net
