#pragma once

struct _mongoc_stream_t;

namespace scattergate::config {

/// Prepares a libmongoc stream that wraps another stream: sets function pointers that forward
/// to the wrapped stream. The caller sets the other pointers: get_base_stream, and the
/// functions that read, write and end the stream.
void forward_to_base(_mongoc_stream_t& functions);

}  // namespace scattergate::config
