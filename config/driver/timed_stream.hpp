#pragma once

#include <cstdint>

struct _mongoc_stream_t;

namespace scattergate::config {

/// Wraps a socket's libmongoc stream, and takes ownership of it: its waits end at the time that
/// end_waits_in() sets. TLS needs this: it waits the full timeout for each part of a record or
/// handshake, so a server that sends a byte now and then could block a caller for days.
[[nodiscard]] _mongoc_stream_t* timed(_mongoc_stream_t* socket);

/// Sets the deadline for all further waits of `connection` together: `timeout_ms` from now. If
/// that isn't above 0, each wait has the timeout of its own call. REQUIRES: `connection` is a
/// timed stream, or TLS over one.
void end_waits_in(_mongoc_stream_t* connection, std::int32_t timeout_ms);

/// Whether the deadline set by end_waits_in() has passed.
[[nodiscard]] bool have_waits_ended(_mongoc_stream_t* connection);

}  // namespace scattergate::config
