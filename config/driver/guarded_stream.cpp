#include "config/driver/guarded_stream.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <mongoc/mongoc.h>

#include "config/driver/mongo_stream.hpp"
#include "config/driver/reply_frame.hpp"
#include "config/driver/stream_functions.hpp"
#include "config/driver/timed_stream.hpp"
#include "wire/endian.hpp"
#include "wire/header.hpp"

namespace scattergate::config {
namespace {

/// A type number that no stream of libmongoc has.
constexpr int guarded_type = 0x5347;

/// The stream from which libmongoc reads: it passes on only complete, valid replies.
struct guarded_stream {
  mongoc_stream_t functions{};  // first: libmongoc has a pointer to it
  mongoc_stream_t* inner = nullptr;
  std::optional<text::problem>* found = nullptr;
  std::vector<std::byte> message;  // the message being received or passed on
  std::size_t received = 0;        // bytes of it received
  std::size_t given = 0;           // bytes of it passed on, once it is complete
  // The header of the request being sent, as far as it was sent.
  std::vector<std::byte> request;
  std::size_t unsent = 0;  // bytes of that request after its header still to be sent
  wire::opcode asked{};    // the last request's opCode
  bool is_whole = false;
  bool is_broken = false;

  void expect();
  void note_sent(std::span<const std::byte> bytes);
  [[nodiscard]] bool take_header();
  [[nodiscard]] bool refuse(const text::problem& reason);
  [[nodiscard]] ssize_t fetch(bool must_wait, std::int32_t timeout_ms);
  [[nodiscard]] std::size_t give(std::span<const mongoc_iovec_t> to, std::size_t behind);
};

guarded_stream& guarded_of(mongoc_stream_t* stream) {
  return *reinterpret_cast<guarded_stream*>(stream);
}

/// Prepares for the next message.
void guarded_stream::expect() {
  message.assign(wire::limits::header_bytes, std::byte{0});
  message.shrink_to_fit();
  received = 0;
  given = 0;
  is_whole = false;
}

/// Follows the requests that are sent, to know which opCode their replies must have.
void guarded_stream::note_sent(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const bool is_head = unsent == 0;
    const std::size_t missing = is_head ? wire::limits::header_bytes - request.size() : unsent;
    const auto part = bytes.first(std::min(missing, bytes.size()));
    bytes = bytes.subspan(part.size());
    if (!is_head) {
      unsent -= part.size();
      continue;
    }
    request.insert(request.end(), part.begin(), part.end());
    if (request.size() < wire::limits::header_bytes) continue;
    const auto header = std::span{std::as_const(request)}.first<wire::limits::header_bytes>();
    const auto read = wire::parse_header(header);
    if (read) {
      asked = read->op;
      unsent = static_cast<std::size_t>(read->length) - header.size();
    }
    request.clear();
  }
}

bool guarded_stream::refuse(const text::problem& reason) {
  is_broken = true;
  *found = text::problem{"the server sent something that is not a reply", reason.what};
  errno = EPROTO;
  return false;
}

bool guarded_stream::take_header() {
  const auto header = std::span{std::as_const(message)}.first<wire::limits::header_bytes>();
  if (const auto checked = check_reply_header(header, asked); !checked) {
    return refuse(checked.error());
  }
  message.resize(wire::load_little<std::uint32_t>(message.data()));
  return true;
}

/// Reads from the connection. Returns 1 once the message is complete; -1 if it isn't a reply;
/// otherwise what libmongoc's read returned without data.
ssize_t guarded_stream::fetch(bool must_wait, std::int32_t timeout_ms) {
  if (is_broken) return -1;
  if (message.empty()) expect();
  while (!is_whole) {
    const std::size_t missing = message.size() - received;
    if (missing != 0) {
      const ssize_t got = mongoc_stream_read(inner, message.data() + received, missing,
                                             must_wait ? missing : 0, timeout_ms);
      if (got <= 0) return got;
      received += static_cast<std::size_t>(got);
      if (received < message.size()) {
        if (must_wait) return -1;
        continue;
      }
    }
    if (received == wire::limits::header_bytes) {
      if (!take_header()) return -1;
      if (message.size() != received) continue;
    }
    if (const auto checked = check_reply(message); !checked) {
      static_cast<void>(refuse(checked.error()));
      return -1;
    }
    is_whole = true;
  }
  return 1;
}

/// Copies the received part of the message to the current position in libmongoc's vector.
std::size_t guarded_stream::give(std::span<const mongoc_iovec_t> to, std::size_t behind) {
  std::size_t copied = 0;
  for (const mongoc_iovec_t& part : to) {
    const std::size_t skipped = std::min(behind, part.iov_len);
    behind -= skipped;
    const std::size_t size = std::min(part.iov_len - skipped, message.size() - given);
    if (size == 0) continue;
    std::memcpy(static_cast<std::byte*>(part.iov_base) + skipped, message.data() + given, size);
    given += size;
    copied += size;
  }
  if (given == message.size()) expect();
  return copied;
}

ssize_t read_guarded(mongoc_stream_t* stream, mongoc_iovec_t* parts, std::size_t count,
                     std::size_t least, std::int32_t timeout_ms) {
  guarded_stream& self = guarded_of(stream);
  const std::span to{parts, count};
  std::size_t all = 0;
  for (const mongoc_iovec_t& part : to) all += part.iov_len;
  end_waits_in(self.inner, timeout_ms);
  std::size_t copied = 0;
  while (copied < all) {
    const ssize_t got = self.fetch(least != 0, timeout_ms);
    if (got <= 0) return copied != 0 && copied >= least ? static_cast<ssize_t>(copied) : got;
    copied += self.give(to, copied);
    if (copied >= least) break;
  }
  return static_cast<ssize_t>(copied);
}

/// Sends a request and follows it. Copies the vector first, because libmongoc changes it while
/// it writes.
ssize_t write_followed(mongoc_stream_t* stream, mongoc_iovec_t* parts, std::size_t count,
                       std::int32_t timeout_ms) {
  guarded_stream& self = guarded_of(stream);
  const std::vector<mongoc_iovec_t> before{parts, parts + count};
  end_waits_in(self.inner, timeout_ms);
  const ssize_t written = mongoc_stream_writev(self.inner, parts, count, timeout_ms);
  std::size_t left = written > 0 ? static_cast<std::size_t>(written) : 0;
  for (const mongoc_iovec_t& part : before) {
    const std::size_t size = std::min(left, part.iov_len);
    self.note_sent({static_cast<const std::byte*>(part.iov_base), size});
    left -= size;
  }
  return written;
}

void destroy_guarded(mongoc_stream_t* stream) {
  const std::unique_ptr<guarded_stream> self{&guarded_of(stream)};
  mongoc_stream_destroy(self->inner);
}

void fail_guarded(mongoc_stream_t* stream) {
  const std::unique_ptr<guarded_stream> self{&guarded_of(stream)};
  mongoc_stream_failed(self->inner);
}

mongoc_stream_t* guard(mongoc_stream_t* connection, std::optional<text::problem>& found) {
  auto made = std::make_unique<guarded_stream>();
  made->inner = connection;
  made->found = &found;
  mongoc_stream_t& functions = made->functions;
  functions.type = guarded_type;
  forward_to_base(functions);
  functions.get_base_stream = [](mongoc_stream_t* stream) { return guarded_of(stream).inner; };
  functions.destroy = destroy_guarded;
  functions.failed = fail_guarded;
  functions.readv = read_guarded;
  functions.writev = write_followed;
  functions.should_retry = [](mongoc_stream_t* stream) {
    return !guarded_of(stream).is_broken &&
           mongoc_stream_should_retry(guarded_of(stream).inner);
  };
  return &made.release()->functions;
}

}  // namespace

struct reply_guard::connecting {
  static mongoc_stream_t* connect(const mongoc_uri_t* uri, const mongoc_host_list_t* host,
                                  void* data, bson_error_t* error) {
    auto& self = *static_cast<reply_guard*>(data);
    if (!self.may_connect_) {
      bson_set_error(error, MONGOC_ERROR_STREAM, MONGOC_ERROR_STREAM_CONNECT,
                     "the server doesn't answer, or the connection broke");
      return nullptr;
    }
    mongoc_stream_t* const made = connect_stream(*uri, *host, error);
    return made != nullptr ? guard(made, self.found_) : nullptr;
  }
};

void reply_guard::watch(_mongoc_client_t* client) {
  mongoc_client_set_stream_initiator(client, connecting::connect, this);
}

}  // namespace scattergate::config
