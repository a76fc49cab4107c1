#pragma once

#include <cstdint>

struct _mongoc_stream_t;

namespace scattergate::config {

/// Wraps a socket's libmongoc stream in a stream whose waits end at the time that
/// end_waits_in() sets. Takes ownership of `socket`. Without the deadline, libmongoc's TLS
/// waits the full timeout for each part of a record or handshake, so a server that sends a
/// byte now and then could block a caller for days.
[[nodiscard]] _mongoc_stream_t* timed(_mongoc_stream_t* socket);

/// Sets one deadline for all later waits of `connection`: `timeout_ms` milliseconds from
/// now. If `timeout_ms` is 0 or negative, removes the deadline: each wait has the timeout of
/// its own call. REQUIRES: `connection` is a timed stream, or TLS over one.
void end_waits_in(_mongoc_stream_t* connection, std::int32_t timeout_ms);

/// Whether the deadline set by end_waits_in() has passed. REQUIRES: as for end_waits_in().
[[nodiscard]] bool have_waits_ended(_mongoc_stream_t* connection);

}  // namespace scattergate::config
