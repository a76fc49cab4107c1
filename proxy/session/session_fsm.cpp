#include "proxy/session/session_fsm.hpp"

#include <algorithm>
#include <utility>

#include "net/failing_memory.hpp"
#include "proxy/flow_buffer.hpp"
#include "wire/command.hpp"

namespace scattergate::proxy {
namespace {

using verb = step::verb;
using wire::limits::header_bytes;
using wire::limits::op_msg_head_bytes;

constexpr step need(std::size_t bytes) {
  return {verb::need, bytes, {}, {}};
}
constexpr step forward(std::size_t bytes) {
  return {verb::forward, bytes, {}, {}};
}
constexpr step drop(std::size_t bytes) {
  return {verb::drop, bytes, {}, {}};
}
constexpr step wait() {
  return {verb::wait, 0, {}, {}};
}
constexpr step close_for(telemetry::close_reason reason) {
  return {verb::close, 0, {}, reason};
}

/// The opCodes that a command can come in, so that are worth holding until they are whole.
bool is_readable(wire::opcode op) noexcept {
  return op == wire::opcode::msg || op == wire::opcode::query || op == wire::opcode::compressed;
}

/// A compressed reply up to this size is held, in bytes: what needs no memory beside the block
/// that a flow has anyway.
constexpr std::size_t max_held_reply = block_pool::block_bytes;

bool is_worth_holding(const wire::message_header& reply) noexcept {
  return reply.op == wire::opcode::compressed &&
         static_cast<std::size_t>(reply.length) <= max_held_reply;
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

void session_fsm::finish(telemetry::close_reason why, clock::time_point now) noexcept {
  if (finishing_) return;
  finishing_ = {why, now};
  if (passing_ != 0 && passage_ == passage::awaited) pending_.back().is_cut_off = true;
  passing_ = 0;
  streaming_.reset();
  unpacking_.reset();
}

bool session_fsm::owes_replies() const noexcept {
  if (reply_rest_ != 0 || is_holding_reply_) return true;
  for (const pending_request* each = pending_.first(); each != nullptr;
       each = each->next.get()) {
    if (!each->is_cut_off && !each->answered) return true;
  }
  return false;
}

step session_fsm::next_of_finishing(std::span<const std::byte> unread) const noexcept {
  if (!owes_replies()) return close_for(finishing_->why);
  if (!unread.empty()) return drop(unread.size());
  return wait();
}

step session_fsm::finish_with(telemetry::close_reason why, std::span<const std::byte> unread,
                              clock::time_point now) {
  finish(why, now);
  return next_of_finishing(unread);
}

step session_fsm::refuse_request(wire::wire_errc error, std::span<const std::byte> unread,
                                 clock::time_point now) {
  inspector_.metrics().count_wire_error(error);
  return finish_with(telemetry::close_reason::wire_error, unread, now);
}

step session_fsm::next_request(std::span<const std::byte> unread, clock::time_point now) {
  if (awaited_ != nullptr) return wait();
  if (finishing_) return next_of_finishing(unread);
  if (passing_ != 0) return pass_rest(unread, now);
  if (unread.size() < header_bytes) return need(header_bytes);
  const auto header = wire::parse_header(unread.first<header_bytes>());
  const bool is_strange = !header || !wire::is_known(header->op);
  if (is_strange && requests_seen_ == 0 && is_tls_hello(unread)) {
    return refuse_request(wire::wire_errc::tls_hello, unread, now);
  }
  if (!header) return refuse_request(header.error(), unread, now);
  if (is_strange && requests_seen_ == 0) {
    return refuse_request(wire::wire_errc::unknown_opcode, unread, now);
  }
  if (static_cast<std::size_t>(header->length) > inspector_.max_request_bytes()) {
    return finish_with(telemetry::close_reason::limit, unread, now);
  }
  if (must_know_who()) return wait();
  if (pending_.is_full() && !pending_.make_room()) {
    if (!pending_.front().may_stay_unanswered) return wait();
    settle_front({now, false, {}});
  }
  const auto length = static_cast<std::size_t>(header->length);
  const auto arrived = unread.first(std::min(length, unread.size()));
  return begin_request({*header, arrived, connection_, now});
}

step session_fsm::await(long_work& work) noexcept {
  awaited_ = &work;
  return {verb::await, 0, {}, {}};
}

step session_fsm::on_over(std::span<const std::byte> unread, clock::time_point now) {
  awaited_ = nullptr;
  if (!judging_) return next_request(unread, now);  // it is unpacked now
  if (passing_ != 0) return follow(unread.first(passing_), now);
  const auto header = *wire::parse_header(unread.first<header_bytes>());
  const auto arrived = unread.first(static_cast<std::size_t>(header.length));
  const request_view request{header, arrived, connection_, now};
  const auto judged = std::move(judging_);
  return pass(request, inspector_.inspect(request, *judged));
}

/// Whether a compressed request can be read, now or never.
bool session_fsm::is_unpacked(const request_view& request) {
  const bool is_read = inspector_.is_on() || connection_.guards_x509;
  if (!is_read || holding_refused_ || !request.is_whole()) return true;
  if (!unpacking_) unpacking_ = inspector_.begin_unpacking(request);
  return !unpacking_ || unpacking_->is_over();
}

step session_fsm::begin_request(request_view request) {
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
    if (bytes.size() < needed) return need(needed);
    connection.client.lose_sight();
    return pass(request, inspector_.relay(request));
  }
  if (!is_readable(header.op)) {
    // Says by the opCode alone why there is no command in it.
    const auto error = wire::parse_command(header, bytes).error();
    return pass(request, inspector_.pass_unread(request, error));
  }
  if (bytes.size() < needed && !holding_refused_) {
    if (bytes.size() < streamable) return need(std::min(needed, streamable));
    streaming_ = inspector_.begin_streaming(request);
    if (streaming_) return begin_passing(request, passage::followed);
  }
  if (bytes.size() < needed) return need(needed);
  if (std::exchange(holding_refused_, false)) {
    return pass(request, inspector_.pass_unread(request, wire::wire_errc::too_large));
  }
  judging_ = inspector_.begin_judging(request);
  if (judging_) return await(*judging_);
  return pass(request, inspector_.inspect(request));
}

/// What becomes of a request that is MONGODB-X509, or may be; nothing where it isn't, or where
/// inspect() will see.
std::optional<step> session_fsm::guard(const request_view& request) {
  const bool is_unpacked_later =
      request.header.op == wire::opcode::compressed && inspector_.is_on();
  if (is_unpacked_later && !holding_refused_) return std::nullopt;
  auto found = inspector_.guard_x509(request);
  if (!found) return std::nullopt;
  if (found->how == disposition::close && !request.is_whole() && !holding_refused_) {
    const auto length = static_cast<std::size_t>(request.header.length);
    return need(request.bytes.size() < streamable ? std::min(length, streamable) : length);
  }
  holding_refused_ = false;
  return pass(request, std::move(*found));
}

step session_fsm::pass(const request_view& request, inspection inspected) {
  unpacking_.reset();
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

step session_fsm::begin_passing(const request_view& request, passage how) {
  ++requests_seen_;
  passage_ = how;
  passing_ = static_cast<std::uint32_t>(request.header.length);
  return pass_rest(request.bytes, request.now);
}

step session_fsm::pass_rest(std::span<const std::byte> unread, clock::time_point now) {
  if (unread.empty()) return need(1);
  const std::size_t bytes = std::min<std::size_t>(passing_, unread.size());
  if (passage_ == passage::followed) return follow(unread.first(bytes), now);
  passing_ -= static_cast<std::uint32_t>(bytes);
  return passage_ == passage::dropped ? drop(bytes) : forward(bytes);
}

/// Passes on what has come of a request that is judged when its last byte has.
step session_fsm::follow(std::span<const std::byte> arrived, clock::time_point now) {
  const bool is_end = arrived.size() == passing_;
  const auto judged = std::exchange(judging_, nullptr);
  if (!judged) {
    inspector_.charge(arrived.size() * net::work_meter::following);
    streaming_->take(arrived);
    if (is_end) judging_ = inspector_.begin_judging(*streaming_);
    if (judging_) return await(*judging_);
  }
  passing_ -= static_cast<std::uint32_t>(arrived.size());
  if (is_end) {
    auto inspected = inspector_.inspect_streamed(*streaming_, judged.get(), connection_, now);
    if (inspected.pending) pending_.push(std::move(inspected.pending));
    streaming_.reset();
  }
  return forward(arrived.size());
}

bool session_fsm::has_injection() const noexcept {
  if (reply_rest_ != 0) return false;
  // What may never be answered doesn't keep others waiting.
  const pending_request* next = pending_.first();
  while (next != nullptr && next->may_stay_unanswered) next = next->next.get();
  return next != nullptr && next->is_rejected;
}

step session_fsm::next_reply(std::span<const std::byte> unread, clock::time_point now) {
  if (reply_rest_ != 0) {
    if (unread.empty()) return need(1);
    const std::size_t bytes = std::min<std::size_t>(reply_rest_, unread.size());
    if (is_reply_matched_ && is_reply_read_ && awaits_facts_) {
      scanner_.feed(unread.first(bytes));
    }
    reply_rest_ -= static_cast<std::uint32_t>(bytes);
    if (reply_rest_ == 0) finish_reply(now);
    return forward(bytes);
  }
  if (has_injection()) return inject_rejection(now);
  if (unread.size() < header_bytes) return need(header_bytes);
  const auto header = wire::parse_header(unread.first<header_bytes>());
  if (!header) {
    inspector_.metrics().count_wire_error(header.error());
    return close_for(telemetry::close_reason::wire_error);
  }
  match_reply(*header, now);
  // A request that mongos passed over may have stood before a rejected one.
  if (!is_reply_matched_ && has_injection()) return inject_rejection(now);
  return begin_reply(*header, unread, now);
}

step session_fsm::inject_rejection(clock::time_point now) {
  while (!pending_.front().is_rejected) settle_front({now, false, {}});
  injecting_ = std::move(pending_.front().rejection);
  completion how{now, true, {}};
  how.facts.code = 20;
  settle_front(how);
  return {verb::inject, 0, injecting_, {}};
}

void session_fsm::match_reply(const wire::message_header& header, clock::time_point now) {
  const pending_request* asked = pending_.first();
  while (asked != nullptr && asked->awaits != header.response_to) asked = asked->next.get();
  is_reply_matched_ = false;
  if (asked == nullptr) return;  // nobody waits for it: requests keep their places
  while (&pending_.front() != asked) {
    if (pending_.front().is_rejected) return;
    settle_front({now, false, {}});
  }
  is_reply_matched_ = !pending_.front().is_rejected;
}

step session_fsm::begin_reply(const wire::message_header& header,
                              std::span<const std::byte> unread, clock::time_point now) {
  const auto length = static_cast<std::size_t>(header.length);
  is_holding_reply_ = false;
  if (is_reply_matched_) {
    pending_request& request = pending_.front();
    if (!request.answered) request.answered = now;
    const bool may_hold = !std::exchange(holding_reply_refused_, false);
    if (unread.size() < length && may_hold && is_worth_holding(header) && inspector_.is_on()) {
      is_holding_reply_ = true;
      return need(length);
    }
  } else if (inspector_.is_on()) {
    inspector_.metrics().replies_unmatched.add();
  }
  const std::size_t bytes = std::min(length, unread.size());
  reply_rest_ = static_cast<std::uint32_t>(length - bytes);
  reply_id_ = header.request_id;
  if (is_reply_matched_) scan_reply(header, unread.first(bytes));
  if (reply_rest_ == 0) finish_reply(now);
  return forward(bytes);
}

/// Begins to scan a reply of which `start` is there: all of it, where it is compressed and not
/// too large for that.
void session_fsm::scan_reply(const wire::message_header& header,
                             std::span<const std::byte> start) {
  is_reply_read_ = header.op != wire::opcode::compressed;
  if (is_reply_read_) return scan_message(header, start);
  if (reply_rest_ != 0 || !inspector_.is_on()) return;
  const auto unpacked = inspector_.unpack(header, start, connection_);
  is_reply_read_ = unpacked.has_value();
  if (unpacked) scan_message(unpacked->header, unpacked->bytes);
}

void session_fsm::scan_message(const wire::message_header& header,
                               std::span<const std::byte> start) {
  awaits_facts_ = pending_.front().awaits_facts() || start.size() < op_msg_head_bytes;
  if (awaits_facts_ && start.size() == static_cast<std::size_t>(header.length)) {
    scanner_.read(header, start);
  } else {
    scanner_.begin(header);
    // Whether a further reply follows is always to be known.
    const auto bytes = awaits_facts_ ? start : start.first(op_msg_head_bytes);
    scanner_.feed(bytes.subspan(header_bytes));
  }
  if (pending_.front().is_hello() && reply_rest_ == 0) {
    inspector_.look_at_hello_reply(header, start);
  }
}

void session_fsm::finish_reply(clock::time_point now) {
  if (!std::exchange(is_reply_matched_, false)) return;
  wire::reply_facts facts;
  if (is_reply_read_) {
    facts = scanner_.facts();
  } else {
    facts.ok = true;  // an error is neither too large to be held nor packed in a strange way
  }
  pending_request& request = pending_.front();
  const bool may_go_on = is_reply_read_ ? facts.more_to_come : request.may_stream;
  if (!may_go_on) return settle_front({now, true, facts});
  // An exhaust chain: each reply answers the one before it (OP_MSG.md, "exhaustAllowed").
  inspector_.accounting().complete(request, {now, true, facts}, connection_);
  request.awaits = reply_id_;
  request.may_stay_unanswered = !is_reply_read_;
}

void session_fsm::settle_front(const completion& how) {
  auto request = pending_.pop();
  inspector_.accounting().complete(*request, how, connection_);
  if (request->command == routing::command_kind::kill_cursors) has_open_cursor_ = false;
  if (request->may_open_cursor && how.facts.readable) {
    has_open_cursor_ = how.facts.cursor_id != 0;
  }
  inspector_.accounting().give_back(std::move(request));
}

bool session_fsm::is_idle(std::size_t unread_requests) const noexcept {
  if (!is_between_requests(unread_requests) || reply_rest_ != 0 || is_holding_reply_) {
    return false;
  }
  for (const pending_request* each = pending_.first(); each != nullptr;
       each = each->next.get()) {
    if (!each->is_waiting_hello()) return false;
  }
  return true;
}

void session_fsm::end(clock::time_point now) noexcept {
  while (!pending_.is_empty()) {
    // Where that fails, it has left the queue uncounted: its namespace's counters can't be had.
    net::done_unless_memory_fails([&] { settle_front({now, false, {}}); });
  }
}

}  // namespace scattergate::proxy
