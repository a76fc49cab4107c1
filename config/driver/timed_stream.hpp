#pragma once

#include <cstdint>

struct _mongoc_stream_t;

namespace scattergate::config {

/// Wraps a socket's libmongoc stream, whose ownership it takes, in a stream whose waits end at
/// the time that end_waits_in() sets. Without it, libmongoc's TLS waits the full timeout for
/// each part of a record or handshake, so a server that sends a byte now and then could block a
/// caller for days.
[[nodiscard]] _mongoc_stream_t* timed(_mongoc_stream_t* socket);

/// Sets one deadline for all further waits of `connection`: `timeout_ms` from now. If
/// `timeout_ms` isn't above 0, each wait has the timeout of its own call. REQUIRES:
/// `connection` is a timed stream, or TLS over one.
void end_waits_in(_mongoc_stream_t* connection, std::int32_t timeout_ms);

/// Whether the deadline set by end_waits_in() has passed.
[[nodiscard]] bool have_waits_ended(_mongoc_stream_t* connection);

}  // namespace scattergate::config
