#pragma once

struct _mongoc_stream_t;

namespace scattergate::config {

/// Fills in the functions of a libmongoc stream that wraps another stream (returned by
/// get_base_stream()): they forward to it. The caller sets the functions that read, write and
/// end the stream, and get_base_stream.
void pass_on_what_others_do(_mongoc_stream_t& functions);

}  // namespace scattergate::config
