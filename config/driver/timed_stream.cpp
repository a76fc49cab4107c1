#include "config/driver/timed_stream.hpp"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <memory>
#include <optional>

#include <mongoc/mongoc.h>

#include "config/driver/stream_functions.hpp"

namespace scattergate::config {
namespace {

/// A type number that no stream of libmongoc has.
constexpr int timed_type = 0x5348;

constexpr std::int64_t micros = 1000;  // per millisecond

struct timed_stream {
  /// The remaining time of a call with this timeout, in milliseconds; std::nullopt if the
  /// deadline has passed.
  [[nodiscard]] std::optional<std::int32_t> left_of(std::int32_t timeout_ms) const {
    if (ends_at == 0) return timeout_ms;
    const std::int64_t left_ms = (ends_at - bson_get_monotonic_time()) / micros;
    if (left_ms <= 0) return std::nullopt;
    const std::int64_t most =
        timeout_ms < 0 ? std::numeric_limits<std::int32_t>::max() : timeout_ms;
    return static_cast<std::int32_t>(std::min(left_ms, most));
  }

  mongoc_stream_t functions{};  // first: libmongoc has a pointer to it
  mongoc_stream_t* inner = nullptr;
  std::int64_t ends_at = 0;  // by bson_get_monotonic_time(); 0: each call has its own timeout
};

timed_stream& timed_of(mongoc_stream_t* stream) {
  return *reinterpret_cast<timed_stream*>(stream);
}

timed_stream& below(mongoc_stream_t* connection) {
  while (connection->type != timed_type) {
    connection = mongoc_stream_get_base_stream(connection);
  }
  return timed_of(connection);
}

ssize_t refuse_to_wait() {
  errno = ETIMEDOUT;
  return -1;
}

}  // namespace

_mongoc_stream_t* timed(_mongoc_stream_t* socket) {
  auto made = std::make_unique<timed_stream>();
  made->inner = socket;
  mongoc_stream_t& functions = made->functions;
  functions.type = timed_type;
  forward_to_base(functions);
  functions.get_base_stream = [](mongoc_stream_t* stream) { return timed_of(stream).inner; };
  functions.destroy = [](mongoc_stream_t* stream) {
    const std::unique_ptr<timed_stream> self{&timed_of(stream)};
    mongoc_stream_destroy(self->inner);
  };
  functions.failed = [](mongoc_stream_t* stream) {
    const std::unique_ptr<timed_stream> self{&timed_of(stream)};
    mongoc_stream_failed(self->inner);
  };
  functions.readv = [](mongoc_stream_t* stream, mongoc_iovec_t* parts, std::size_t count,
                       std::size_t least, std::int32_t timeout_ms) {
    const auto left = timed_of(stream).left_of(timeout_ms);
    if (!left) return refuse_to_wait();
    return mongoc_stream_readv(timed_of(stream).inner, parts, count, least, *left);
  };
  functions.writev = [](mongoc_stream_t* stream, mongoc_iovec_t* parts, std::size_t count,
                        std::int32_t timeout_ms) {
    const auto left = timed_of(stream).left_of(timeout_ms);
    if (!left) return refuse_to_wait();
    return mongoc_stream_writev(timed_of(stream).inner, parts, count, *left);
  };
  return &made.release()->functions;
}

void end_waits_in(_mongoc_stream_t* connection, std::int32_t timeout_ms) {
  below(connection).ends_at =
      timeout_ms > 0 ? bson_get_monotonic_time() + timeout_ms * micros : 0;
}

bool have_waits_ended(_mongoc_stream_t* connection) {
  return !below(connection).left_of(0);
}

}  // namespace scattergate::config
