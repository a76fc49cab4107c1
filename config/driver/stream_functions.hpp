#pragma once

struct _mongoc_stream_t;

namespace scattergate::config {

/// Sets the function pointers of a libmongoc stream that wraps another stream: they forward to
/// the wrapped stream (get_base_stream()). The caller sets get_base_stream, and the functions
/// that read, write and end the stream.
void forward_to_base(_mongoc_stream_t& functions);

}  // namespace scattergate::config
