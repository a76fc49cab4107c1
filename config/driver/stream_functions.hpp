#pragma once

struct _mongoc_stream_t;

namespace scattergate::config {

/// Prepares a libmongoc stream that wraps another stream: sets function pointers that forward
/// to the wrapped stream. The caller sets get_base_stream, readv, writev, destroy and failed.
void forward_to_base(_mongoc_stream_t& functions);

}  // namespace scattergate::config
