#pragma once

struct _bson_error_t;
struct _mongoc_host_list_t;
struct _mongoc_stream_t;
struct _mongoc_uri_t;

namespace scattergate::config {

/// Connects to a host of a connection string: over TCP, to the first address of the host that
/// accepts, or over a Unix socket. With `tls=true`, also performs the TLS handshake, with the
/// connection string's TLS options. Waits at most connectTimeoutMS for each address and for the
/// handshake. Replaces libmongoc's private function (mongoc-client.c:
/// mongoc_client_default_stream_initiator). The caller owns the stream, which is a timed stream
/// (timed_stream.hpp) or TLS over a timed stream. On failure, returns null, with the reason in
/// `error`.
[[nodiscard]] _mongoc_stream_t* connect_stream(const _mongoc_uri_t& uri,
                                               const _mongoc_host_list_t& host,
                                               _bson_error_t* error);

}  // namespace scattergate::config
