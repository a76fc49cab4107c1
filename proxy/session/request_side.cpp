#include "proxy/session/request_side.hpp"

#include <algorithm>
#include <utility>

#include "net/work_meter.hpp"
#include "wire/command.hpp"

namespace scattergate::proxy {
namespace {

using wire::limits::header_bytes;
using wire::limits::op_msg_head_bytes;

/// The opCodes that a command can come in, so that are worth holding until they are whole.
bool is_readable(wire::opcode op) noexcept {
  return op == wire::opcode::msg || op == wire::opcode::query || op == wire::opcode::compressed;
}

/// How much of a message tells how it may pass as it comes in, in bytes: a namespace and what
/// stands before it.
constexpr std::size_t streamable = 512;

/// Whether what can't be a message is the beginning of a TLS connection: a handshake record of
/// version 3.x (RFC 8446, section 5.1). A message of 790 bytes begins in the same way.
bool is_tls_hello(std::span<const std::byte> start) noexcept {
  return start[0] == std::byte{22} && start[1] == std::byte{3};
}

}  // namespace

void request_side::finish(telemetry::close_reason why, clock::time_point now) noexcept {
  if (finishing_) return;
  finishing_ = {why, now};
  if (passing_ != 0 && passage_ == passage::awaited) pending_.back().is_cut_off = true;
  passing_ = 0;
  streaming_.reset();
  unpacking_.reset();
}

step request_side::next_of_finishing(std::span<const std::byte> unread) const noexcept {
  if (!replies_.owes_any()) return step::close_for(finishing_->why);
  if (!unread.empty()) return step::drop(unread.size());
  return step::wait();
}

step request_side::finish_with(telemetry::close_reason why, std::span<const std::byte> unread,
                               clock::time_point now) {
  finish(why, now);
  return next_of_finishing(unread);
}

step request_side::refuse_request(wire::wire_errc error, std::span<const std::byte> unread,
                                  clock::time_point now) {
  inspector_.metrics().count_wire_error(error);
  broken_by_ = error;
  return finish_with(telemetry::close_reason::wire_error, unread, now);
}

step request_side::next(std::span<const std::byte> unread, clock::time_point now) {
  if (awaited_ != nullptr || is_held()) return step::wait();
  if (finishing_) return next_of_finishing(unread);
  if (held_.held_by != nullptr) return enter_queue(view_of_held(unread, now));
  if (passing_ != 0) return pass_rest(unread, now);
  if (unread.size() < header_bytes) return step::need(header_bytes);
  const auto header = wire::parse_header(unread.first<header_bytes>());
  const bool is_strange = !header || !wire::is_known(header->op);
  if (is_strange && seen_ == 0 && is_tls_hello(unread)) {
    return refuse_request(wire::wire_errc::tls_hello, unread, now);
  }
  if (!header) return refuse_request(header.error(), unread, now);
  if (is_strange && seen_ == 0) {
    return refuse_request(wire::wire_errc::unknown_opcode, unread, now);
  }
  if (static_cast<std::size_t>(header->length) > inspector_.max_request_bytes()) {
    return finish_with(telemetry::close_reason::limit, unread, now);
  }
  if (must_know_who()) return step::wait();
  if (pending_.is_full() && !pending_.make_room()) {
    if (!pending_.front().may_stay_unanswered) return step::wait();
    replies_.settle_front({now, false, {}});
  }
  const auto length = static_cast<std::size_t>(header->length);
  const auto arrived = unread.first(std::min(length, unread.size()));
  return begin_request({*header, arrived, connection_, now});
}

step request_side::await(long_work& work) noexcept {
  awaited_ = &work;
  return step::await();
}

step request_side::on_over(std::span<const std::byte> unread, clock::time_point now) {
  awaited_ = nullptr;
  if (!judging_) return next(unread, now);  // it is unpacked now
  if (passing_ != 0) return follow(unread.first(passing_), now);
  const auto header = *wire::parse_header(unread.first<header_bytes>());
  const auto arrived = unread.first(static_cast<std::size_t>(header.length));
  const request_view request{header, arrived, connection_, now};
  const auto judged = std::move(judging_);
  return pass(request, inspector_.inspect(request, *judged));
}

/// Whether a compressed request can be read, now or never.
bool request_side::is_unpacked(const request_view& request) {
  const bool is_read = inspector_.is_on() || connection_.guards_x509;
  if (!is_read || holding_refused_ || !request.is_whole()) return true;
  if (!unpacking_) unpacking_ = inspector_.begin_unpacking(request);
  return !unpacking_ || unpacking_->is_over();
}

step request_side::begin_request(request_view request) {
  const auto& [header, bytes, connection, now, unpacking] = request;
  if (header.op == wire::opcode::compressed) {
    if (!is_unpacked(request)) return await(*unpacking_);
    request.unpacking = unpacking_.get();
  }
  if (connection.guards_x509) {
    if (const auto refused = guard(request)) return *refused;
  }
  const auto length = static_cast<std::size_t>(header.length);
  const bool is_passed_unread = !inspector_.is_on() || holding_refused_;
  const std::size_t needed = is_passed_unread ? std::min(length, op_msg_head_bytes) : length;
  if (!inspector_.is_on()) {
    if (bytes.size() < needed) return step::need(needed);
    connection.client.lose_sight();
    return pass(request, inspector_.relay(request));
  }
  if (!is_readable(header.op)) {
    // Says by the opCode alone why there is no command in it.
    const auto error = wire::parse_command(header, bytes).error();
    return pass(request, inspector_.pass_unread(request, error));
  }
  if (bytes.size() < needed && !holding_refused_) {
    if (bytes.size() < streamable) return step::need(std::min(needed, streamable));
    streaming_ = inspector_.begin_streaming(request);
    if (streaming_) return begin_passing(request, passage::followed);
  }
  if (bytes.size() < needed) return step::need(needed);
  if (std::exchange(holding_refused_, false)) {
    return pass(request, inspector_.pass_unread(request, wire::wire_errc::too_large));
  }
  if (inspector::is_large(request)) {
    judging_ = inspector_.begin_judging(request);
    if (judging_) return await(*judging_);
  }
  return pass(request, inspector_.inspect(request));
}

/// What becomes of a request that is MONGODB-X509, or may be; nothing where it isn't, or where
/// inspect() will see.
std::optional<step> request_side::guard(const request_view& request) {
  const bool is_unpacked_later =
      request.header.op == wire::opcode::compressed && inspector_.is_on();
  if (is_unpacked_later && !holding_refused_) return std::nullopt;
  auto found = inspector_.guard_x509(request);
  if (!found) return std::nullopt;
  if (found->how == disposition::close && !request.is_whole() && !holding_refused_) {
    const auto length = static_cast<std::size_t>(request.header.length);
    const bool may_tell_soon = request.bytes.size() < streamable;
    return step::need(may_tell_soon ? std::min(length, streamable) : length);
  }
  holding_refused_ = false;
  return pass(request, std::move(*found));
}

step request_side::pass(const request_view& request, inspection inspected) {
  unpacking_.reset();
  if (inspected.held_by) {
    held_ = std::move(inspected);
    return enter_queue(request);
  }
  switch (inspected.how) {
    case disposition::close:
      inspector_.metrics().x509_closed.add();
      return finish_with(telemetry::close_reason::x509, request.bytes, request.now);
    case disposition::drop:
      if (inspected.pending) pending_.push(std::move(inspected.pending));
      return begin_passing(request, passage::dropped);
    case disposition::forward:
      break;
  }
  if (!inspected.pending) return begin_passing(request, passage::unanswered);
  pending_.push(std::move(inspected.pending));
  return begin_passing(request, passage::awaited);
}

step request_side::begin_passing(const request_view& request, passage how) {
  ++seen_;
  passage_ = how;
  passing_ = static_cast<std::uint32_t>(request.header.length);
  return pass_rest(request.bytes, request.now);
}

step request_side::pass_rest(std::span<const std::byte> unread, clock::time_point now) {
  if (unread.empty()) return step::need(1);
  const std::size_t bytes = std::min<std::size_t>(passing_, unread.size());
  if (passage_ == passage::followed) return follow(unread.first(bytes), now);
  passing_ -= static_cast<std::uint32_t>(bytes);
  return passage_ == passage::dropped ? step::drop(bytes) : step::forward(bytes);
}

/// Passes on what has come of a request that is judged when its last byte has.
step request_side::follow(std::span<const std::byte> arrived, clock::time_point now) {
  const bool is_end = arrived.size() == passing_;
  const auto judged = std::exchange(judging_, nullptr);
  if (!judged) {
    const std::uint64_t before = streaming_->digest().steps();
    streaming_->take(arrived);
    inspector_.charge((streaming_->digest().steps() - before) * net::work_meter::following);
    if (is_end) judging_ = inspector_.begin_judging(*streaming_);
    if (judging_) return await(*judging_);
  }
  passing_ -= static_cast<std::uint32_t>(arrived.size());
  if (is_end) {
    auto inspected = inspector_.inspect_streamed(*streaming_, judged.get(), connection_, now);
    if (inspected.pending) pending_.push(std::move(inspected.pending));
    streaming_.reset();
  }
  return step::forward(arrived.size());
}

}  // namespace scattergate::proxy
