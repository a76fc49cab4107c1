#include "proxy/session/reply_side.hpp"

#include <algorithm>
#include <utility>

#include "proxy/flow_buffer.hpp"
#include "wire/op_msg.hpp"
#include "wire/server_error.hpp"

namespace scattergate::proxy {
namespace {

using wire::limits::header_bytes;
using wire::limits::op_msg_head_bytes;

/// The maximum size of a compressed reply that is held until it is complete, in bytes: it fits
/// into the block that a flow borrows anyway.
constexpr std::size_t max_held_reply = block_pool::block_bytes;

bool is_worth_holding(const wire::message_header& reply) noexcept {
  return reply.op == wire::opcode::compressed &&
         static_cast<std::size_t>(reply.length) <= max_held_reply;
}

/// Whether the reply's first field is `ok`, so that it may be an error. In a successful reply,
/// mongos writes `ok` after the results; in an error there are none (mongo: commands.cpp,
/// appendCommandStatus).
bool may_be_error(std::span<const std::byte> start) noexcept {
  constexpr std::size_t name_at = wire::op_msg_layout::sections_at +
                                  wire::op_msg_layout::kind_bytes + sizeof(std::int32_t) + 1;
  constexpr std::size_t name_bytes = 3;
  return start.size() >= name_at + name_bytes && start[name_at] == std::byte{'o'} &&
         start[name_at + 1] == std::byte{'k'} && start[name_at + 2] == std::byte{0};
}

}  // namespace

bool reply_side::has_pending() const noexcept {
  if (rest_ != 0 || is_holding_) return true;
  for (const pending_request* each = pending_.first(); each != nullptr;
       each = each->next.get()) {
    if (!each->is_cut_off && !each->answered) return true;
  }
  return false;
}

bool reply_side::has_injection() const noexcept {
  if (rest_ != 0) return false;
  // A request that may never be answered doesn't delay the replies to later ones.
  const pending_request* next = pending_.first();
  while (next != nullptr && next->may_stay_unanswered) next = next->next.get();
  return next != nullptr && next->is_rejected;
}

step reply_side::next(std::span<const std::byte> unread, clock::time_point now) {
  if (rest_ != 0) {
    if (unread.empty()) return step::need(1);
    const std::size_t bytes = std::min<std::size_t>(rest_, unread.size());
    if (is_matched_ && is_read_ && awaits_facts_) {
      pending_.front().reply.feed(unread.first(bytes));
    }
    rest_ -= static_cast<std::uint32_t>(bytes);
    if (rest_ == 0) finish_reply(now);
    return step::forward(bytes);
  }
  if (has_injection()) return inject_rejection(now);
  if (unread.size() < header_bytes) return step::need(header_bytes);
  const auto header = wire::parse_header(unread.first<header_bytes>());
  if (!header) {
    inspector_.metrics().count_wire_error(header.error());
    broken_by_ = header.error();
    return step::close_for(telemetry::close_reason::wire_error);
  }
  match_reply(*header, now);
  // match_reply() may have removed unanswered requests, so that a rejected one is first now.
  if (!is_matched_ && has_injection()) return inject_rejection(now);
  return begin_reply(*header, unread, now);
}

step reply_side::inject_rejection(clock::time_point now) {
  while (!pending_.front().is_rejected) settle_front({now, false, {}});
  injecting_ = std::move(pending_.front().rejection);
  completion completed{now, true, {}};
  const bool is_throttled = pending_.front().action == telemetry::finding_action::throttled;
  const auto code =
      is_throttled ? wire::server_errc::ingress_request_rate_limit_exceeded : rejection_code;
  completed.facts.code = static_cast<std::int32_t>(code);
  settle_front(completed);
  return step::inject(injecting_);
}

void reply_side::match_reply(const wire::message_header& header, clock::time_point now) {
  const pending_request* asked = pending_.first();
  while (asked != nullptr && asked->expected_response_to != header.response_to)
    asked = asked->next.get();
  is_matched_ = false;
  if (asked == nullptr) return;  // a reply to no pending request: the queue stays as it is
  while (&pending_.front() != asked) {
    if (pending_.front().is_rejected) return;
    settle_front({now, false, {}});
  }
  is_matched_ = !pending_.front().is_rejected;
}

step reply_side::begin_reply(const wire::message_header& header,
                             std::span<const std::byte> unread, clock::time_point now) {
  const auto length = static_cast<std::size_t>(header.length);
  is_holding_ = false;
  if (is_matched_) {
    pending_request& request = pending_.front();
    if (!request.answered) {
      request.answered = now;
      request.slot.give_back();  // mongos has executed the command, even if the client doesn't
                                 // read the reply
    }
    const bool may_hold = !std::exchange(holding_refused_, false);
    if (unread.size() < length && may_hold && is_worth_holding(header) && inspector_.is_on()) {
      is_holding_ = true;
      return step::need(length);
    }
  } else if (inspector_.is_on()) {
    inspector_.metrics().replies_unmatched.add();
  }
  const std::size_t bytes = std::min(length, unread.size());
  rest_ = static_cast<std::uint32_t>(length - bytes);
  id_ = header.request_id;
  if (is_matched_) scan_reply(header, unread.first(bytes));
  if (rest_ == 0) finish_reply(now);
  return step::forward(bytes);
}

/// Starts scanning the current reply. `start`: the part that has arrived. A compressed reply is
/// scanned only if it is complete.
void reply_side::scan_reply(const wire::message_header& header,
                            std::span<const std::byte> start) {
  is_read_ = header.op != wire::opcode::compressed;
  if (is_read_) return scan_message(header, start);
  if (rest_ != 0 || !inspector_.is_on()) return;
  const auto unpacked = inspector_.unpack(header, start, connection_);
  is_read_ = unpacked.has_value();
  if (unpacked) scan_message(unpacked->header, unpacked->bytes);
}

void reply_side::scan_message(const wire::message_header& header,
                              std::span<const std::byte> start) {
  pending_request& request = pending_.front();
  awaits_facts_ =
      request.needs_whole_reply() || start.size() < op_msg_head_bytes || may_be_error(start);
  if (awaits_facts_ && start.size() == static_cast<std::size_t>(header.length)) {
    request.reply.read(header, start);
  } else {
    request.reply.begin(header);
    // The flags are always needed: they say whether a further reply follows.
    const auto bytes = awaits_facts_ ? start : start.first(op_msg_head_bytes);
    request.reply.feed(bytes.subspan(header_bytes));
  }
  if (request.is_hello() && rest_ == 0) {
    inspector_.check_hello_reply(header, start);
  }
}

void reply_side::finish_reply(clock::time_point now) {
  if (!std::exchange(is_matched_, false)) return;
  pending_request& request = pending_.front();
  wire::reply_facts facts;
  if (is_read_) {
    facts = request.reply.facts();
  } else {
    facts.ok = true;  // assumed: replies that can't be read are too large to be errors, or
                      // mongos has compressed them in an unknown way
  }
  const bool may_go_on = is_read_ ? facts.more_to_come : request.may_stream;
  if (!may_go_on) return settle_front({now, true, facts});
  // An exhaust chain: several replies to one request. Each is a response to the reply before it
  // (OP_MSG.md, "exhaustAllowed").
  inspector_.accounting().complete(request, {now, true, facts}, connection_);
  request.expected_response_to = id_;
  request.may_stay_unanswered = !is_read_;
}

void reply_side::settle_front(const completion& completed) {
  auto request = pending_.pop();
  inspector_.accounting().complete(*request, completed, connection_);
  if (request->command == routing::command_kind::kill_cursors) has_open_cursor_ = false;
  if (request->may_open_cursor && completed.facts.readable) {
    has_open_cursor_ = completed.facts.cursor_id != 0;
  }
  inspector_.accounting().give_back(std::move(request));
}

}  // namespace scattergate::proxy
