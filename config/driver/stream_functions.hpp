#pragma once

struct _mongoc_stream_t;

namespace scattergate::config {

/// For a stream of libmongoc's that lies over another one, which its get_base_stream() gives:
/// sets the functions that have that one do it. The stream's maker sets what reads, writes and
/// ends it, and get_base_stream.
void pass_on_what_others_do(_mongoc_stream_t& functions);

}  // namespace scattergate::config
