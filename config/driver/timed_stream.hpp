#pragma once

#include <cstdint>

struct _mongoc_stream_t;

namespace scattergate::config {

/// Wraps a socket's libmongoc stream in a stream with a deadline for all its waits, set by
/// end_waits_in(). Takes ownership of `socket`; the caller owns the result. Without the
/// deadline, libmongoc's TLS waits the full timeout for each part of a record or handshake. A
/// server that sends a byte now and then could thus block a caller for days.
[[nodiscard]] _mongoc_stream_t* timed(_mongoc_stream_t* socket);

/// Sets the deadline for all later waits of `connection`: `timeout_ms` milliseconds from now.
/// If `timeout_ms` is 0 or negative, removes the deadline: each wait then has the timeout of
/// its own call. REQUIRES: `connection` is a timed stream, or TLS over one.
void end_waits_in(_mongoc_stream_t* connection, std::int32_t timeout_ms);

/// Whether the deadline that end_waits_in() has set is over; false without a deadline.
/// REQUIRES: `connection` is a timed stream, or TLS over one.
[[nodiscard]] bool have_waits_ended(_mongoc_stream_t* connection);

}  // namespace scattergate::config
