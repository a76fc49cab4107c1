#include "proxy/session_fsm.hpp"

#include <algorithm>
#include <utility>

#include "wire/command.hpp"

namespace scattergate::proxy {
namespace {

using verb = step::verb;
using wire::limits::header_bytes;

constexpr step need(std::size_t bytes) {
  return {verb::need, bytes, {}, {}};
}
constexpr step forward(std::size_t bytes) {
  return {verb::forward, bytes, {}, {}};
}

/// The opCodes that a command can come in, so that are worth holding until they are whole.
bool is_readable(wire::opcode op) noexcept {
  return op == wire::opcode::msg || op == wire::opcode::query;
}

/// Whether a client that believes us to speak TLS has begun: a handshake record of version 3.x
/// (RFC 8446, section 5.1). As a message it would be tens of kilobytes long.
bool is_tls_hello(std::span<const std::byte> start) noexcept {
  return start.size() >= 2 && start[0] == std::byte{22} && start[1] == std::byte{3};
}

}  // namespace

step session_fsm::refuse_frame(wire::wire_errc error) {
  inspector_.metrics().count_wire_error(error);
  return {verb::close, 0, {}, telemetry::close_reason::wire_error};
}

step session_fsm::next_request(std::span<const std::byte> unread, clock::time_point now) {
  if (passing_ != 0) return pass_rest(unread);
  if (requests_seen_ == 0 && is_tls_hello(unread)) {
    return refuse_frame(wire::wire_errc::tls_hello);
  }
  if (unread.size() < header_bytes) return need(header_bytes);
  const auto header = wire::parse_header(unread.first<header_bytes>());
  if (!header) return refuse_frame(header.error());
  if (!wire::is_known(header->op) && requests_seen_ == 0) {
    return refuse_frame(wire::wire_errc::unknown_opcode);
  }
  if (static_cast<std::size_t>(header->length) > inspector_.max_request_bytes()) {
    return {verb::close, 0, {}, telemetry::close_reason::limit};
  }
  if (pending_.is_full()) return {verb::wait, 0, {}, {}};
  return begin_request(*header, unread, now);
}

step session_fsm::begin_request(const wire::message_header& header,
                                std::span<const std::byte> unread, clock::time_point now) {
  const auto length = static_cast<std::size_t>(header.length);
  if (!inspector_.is_on()) return pass(header, unread, {});
  if (!is_readable(header.op)) {
    // Says by the opCode alone why there is no command in it.
    const auto error = wire::parse_command(header, unread).error();
    return pass(header, unread, inspector_.pass_unread(header, unread, error));
  }
  if (std::exchange(holding_refused_, false)) {
    return pass(header, unread,
                inspector_.pass_unread(header, unread, wire::wire_errc::too_large));
  }
  if (unread.size() < length) return need(length);
  auto inspected = inspector_.inspect(header, unread.first(length), connection_, now);
  const bool is_rejected = inspected.is_rejected;
  step next = pass(header, unread, std::move(inspected));
  if (is_rejected) next.what = verb::drop;
  return next;
}

step session_fsm::pass(const wire::message_header& header, std::span<const std::byte> unread,
                       inspection inspected) {
  ++requests_seen_;
  if (inspected.pending) pending_.push(std::move(inspected.pending));
  passing_ = static_cast<std::uint32_t>(header.length);
  return pass_rest(unread);
}

step session_fsm::pass_rest(std::span<const std::byte> unread) noexcept {
  if (unread.empty()) return need(1);
  const std::size_t bytes = std::min<std::size_t>(passing_, unread.size());
  passing_ -= static_cast<std::uint32_t>(bytes);
  return forward(bytes);
}

step session_fsm::next_reply(std::span<const std::byte> unread, clock::time_point now) {
  if (reply_rest_ != 0) {
    if (unread.empty()) return need(1);
    const std::size_t bytes = std::min<std::size_t>(reply_rest_, unread.size());
    if (is_reply_matched_) scanner_.feed(unread.first(bytes));
    reply_rest_ -= static_cast<std::uint32_t>(bytes);
    if (reply_rest_ == 0) finish_reply(now);
    return forward(bytes);
  }
  if (has_injection()) return inject_rejection(now);
  if (unread.size() < header_bytes) return need(header_bytes);
  const auto header = wire::parse_header(unread.first<header_bytes>());
  if (!header) return refuse_frame(header.error());
  match_reply(*header, now);
  // A request that mongos passed over may have stood before a rejected one.
  if (!is_reply_matched_ && has_injection()) return inject_rejection(now);
  return begin_reply(*header, unread, now);
}

step session_fsm::inject_rejection(clock::time_point now) {
  injecting_ = std::move(pending_.front().rejection);
  completion how{now, true, {}};
  how.facts.code = 20;
  settle_front(how);
  return {verb::inject, 0, injecting_, {}};
}

void session_fsm::match_reply(const wire::message_header& header, clock::time_point now) {
  std::size_t position = 0;
  while (position < pending_.size() && pending_[position].awaits != header.response_to) {
    ++position;
  }
  is_reply_matched_ = false;
  if (position == pending_.size()) return;  // nobody waits for it: requests keep their places
  for (; position != 0; --position) {
    if (pending_.front().is_rejected) return;
    settle_front({now, false, {}});
  }
  is_reply_matched_ = !pending_.front().is_rejected;
}

step session_fsm::begin_reply(const wire::message_header& header,
                              std::span<const std::byte> unread, clock::time_point now) {
  const auto length = static_cast<std::size_t>(header.length);
  const std::size_t bytes = std::min(length, unread.size());
  reply_rest_ = static_cast<std::uint32_t>(length - bytes);
  reply_id_ = header.request_id;
  if (is_reply_matched_) {
    pending_request& request = pending_.front();
    if (!request.answered) request.answered = now;
    scanner_.begin(header);
    scanner_.feed(unread.first(bytes).subspan(header_bytes));
    if (request.is_hello() && reply_rest_ == 0) {
      inspector_.look_at_hello_reply(header, unread.first(bytes));
    }
  } else if (inspector_.is_on() && header.op != wire::opcode::compressed) {
    inspector_.metrics().replies_unmatched.add();
  }
  if (reply_rest_ == 0) finish_reply(now);
  return forward(bytes);
}

void session_fsm::finish_reply(clock::time_point now) {
  if (!std::exchange(is_reply_matched_, false)) return;
  const wire::reply_facts& facts = scanner_.facts();
  if (!facts.more_to_come) return settle_front({now, true, facts});
  // An exhaust chain: each reply answers the one before it (OP_MSG.md, "exhaustAllowed").
  pending_request& request = pending_.front();
  inspector_.complete(request, {now, true, facts}, connection_);
  request.awaits = reply_id_;
}

void session_fsm::settle_front(const completion& how) {
  auto request = pending_.pop();
  inspector_.complete(*request, how, connection_);
  inspector_.give_back(std::move(request));
}

bool session_fsm::is_idle(std::size_t unread_requests) noexcept {
  if (!is_between_requests(unread_requests) || reply_rest_ != 0) return false;
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    if (!pending_[i].is_hello()) return false;
  }
  return true;
}

void session_fsm::end(clock::time_point now) {
  while (!pending_.is_empty()) settle_front({now, false, {}});
}

}  // namespace scattergate::proxy
