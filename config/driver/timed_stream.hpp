#pragma once

#include <cstdint>

struct _mongoc_stream_t;

namespace scattergate::config {

/// A stream of libmongoc's over that of a socket, which it takes over: its waits end at the
/// time that end_waits_in() sets. TLS needs it: it waits in full again for each part of a
/// record or of a handshake, so a server that sends a byte now and then could hold a caller for
/// days.
[[nodiscard]] _mongoc_stream_t* timed(_mongoc_stream_t* socket);

/// `connection` is a timed stream, or TLS over one. All of its waits together end `timeout_ms`
/// from now; where that isn't above 0, each has the timeout of its own call.
void end_waits_in(_mongoc_stream_t* connection, std::int32_t timeout_ms);

/// Whether the time that end_waits_in() set is over.
[[nodiscard]] bool have_waits_ended(_mongoc_stream_t* connection);

}  // namespace scattergate::config
