#include "config/driver/stream_functions.hpp"

#include <mongoc/mongoc.h>

namespace scattergate::config {

void forward_to_base(_mongoc_stream_t& functions) {
  functions.close = [](mongoc_stream_t* stream) {
    return mongoc_stream_close(mongoc_stream_get_base_stream(stream));
  };
  functions.flush = [](mongoc_stream_t* stream) {
    return mongoc_stream_flush(mongoc_stream_get_base_stream(stream));
  };
  functions.setsockopt = [](mongoc_stream_t* stream, int level, int name, void* value,
                            mongoc_socklen_t size) {
    return mongoc_stream_setsockopt(mongoc_stream_get_base_stream(stream), level, name, value,
                                    size);
  };
  functions.check_closed = [](mongoc_stream_t* stream) {
    return mongoc_stream_check_closed(mongoc_stream_get_base_stream(stream));
  };
  functions.timed_out = [](mongoc_stream_t* stream) {
    return mongoc_stream_timed_out(mongoc_stream_get_base_stream(stream));
  };
  functions.should_retry = [](mongoc_stream_t* stream) {
    return mongoc_stream_should_retry(mongoc_stream_get_base_stream(stream));
  };
}

}  // namespace scattergate::config
