#include "proxy/session/request_side.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "net/work_meter.hpp"
#include "wire/command.hpp"
#include "wire/compressed.hpp"

// Implements the part of request_side that handles throttled requests.

namespace scattergate::proxy {
namespace {

/// How long a request waits at most until the live catalog has been read again.
constexpr std::chrono::seconds catalog_patience{10};

using wire::limits::header_bytes;
using wire::limits::op_msg_head_bytes;

/// Whether messages of this opCode may contain a command, so that they are worth holding until
/// complete.
bool is_readable(wire::opcode op) noexcept {
  return op == wire::opcode::msg || op == wire::opcode::query || op == wire::opcode::compressed;
}

/// Whether a request is an OP_QUERY, compressed or not.
bool is_query(const request_view& request) noexcept {
  return wire::original_opcode(request.header, request.bytes) == wire::opcode::query;
}

/// The number of bytes after which a message's command is known: the longest namespace, and the
/// bytes before it.
constexpr std::size_t streamable = 512;

/// Whether bytes that aren't a MongoDB message look like the beginning of a TLS connection: a
/// handshake record of version 3.x (RFC 8446, section 5.1). A message of 790 bytes begins with
/// the same two bytes, so check that the bytes are invalid first.
bool is_tls_hello(std::span<const std::byte> start) noexcept {
  return start[0] == std::byte{22} && start[1] == std::byte{3};
}

/// Whether bytes that aren't a MongoDB message begin with a method of HTTP, or with the preface
/// of HTTP/2.
bool is_http(std::span<const std::byte> start) noexcept {
  constexpr std::array<std::string_view, 9> methods{
      "GET ", "HEAD ", "POST ", "PUT ", "PRI * ", "DELETE ", "OPTIONS ", "PATCH ", "CONNECT "};
  const std::string_view text{reinterpret_cast<const char*>(start.data()), start.size()};
  return std::ranges::any_of(methods,
                             [text](std::string_view one) { return text.starts_with(one); });
}

}  // namespace

void request_side::finish(telemetry::close_reason why, clock::time_point now) noexcept {
  if (finishing_) return;
  finishing_ = why;
  finishing_since_ = now;
  if (passing_ != 0 && passage_ == passage::awaited) pending_.back().is_cut_off = true;
  passing_ = 0;
  streaming_.reset();
  unpacking_.reset();
}

step request_side::next_of_finishing(std::span<const std::byte> unread) const noexcept {
  if (!replies_.has_pending()) return step::close_for(*finishing_);
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

[[gnu::always_inline]] inline step request_side::pass_rest(std::span<const std::byte> unread,
                                                           clock::time_point now) {
  if (unread.empty()) return step::need(1);
  const std::size_t bytes = std::min<std::size_t>(passing_, unread.size());
  if (passage_ == passage::followed) return follow(unread.first(bytes), now);
  passing_ -= static_cast<std::uint32_t>(bytes);
  return passage_ == passage::dropped ? step::drop(bytes) : step::forward(bytes);
}

/// Reads the header of the next request into header_. Returns its error, if it is invalid.
[[gnu::always_inline]] inline std::optional<wire::wire_errc> request_side::take_header(
    std::span<const std::byte> unread) {
  const auto header = wire::parse_header(unread.first<header_bytes>());
  const bool is_strange = !header || !wire::is_known(header->op);
  if (is_strange && seen_ == 0 && is_tls_hello(unread)) return wire::wire_errc::tls_hello;
  if (is_strange && seen_ == 0 && is_http(unread)) return wire::wire_errc::http_request;
  if (!header) return header.error();
  if (is_strange && seen_ == 0) return wire::wire_errc::unknown_opcode;
  header_ = *header;
  return std::nullopt;
}

/// A view of the current request, or of the part that has arrived.
request_view request_side::view_of(std::span<const std::byte> unread,
                                   clock::time_point now) const {
  const auto length = static_cast<std::size_t>(header_.length);
  return {header_,     unread.first(std::min(length, unread.size())),
          connection_, now,
          0,           catalog_progress_.is_late};
}

/// The step for a request that authenticates by MONGODB-X509, or may do so; std::nullopt for
/// any other. `received`, `read`: see judge_request().
std::optional<step> request_side::guard(const request_view& received, const request_view& read,
                                        const unpacking_result* unpacked) {
  const bool has_failed = unpacked != nullptr && !*unpacked;
  const auto why = has_failed ? std::optional{unpacked->error()} : std::nullopt;
  auto found = inspector_.guard_x509(read, why ? &*why : nullptr);
  if (!found) return std::nullopt;
  if (found->outcome == disposition::close && !received.is_whole() && !holding_refused_) {
    const auto length = static_cast<std::size_t>(received.header.length);
    const bool may_tell_soon = received.bytes.size() < streamable;
    return step::need(may_tell_soon ? std::min(length, streamable) : length);
  }
  holding_refused_ = false;
  return pass(received, std::move(*found));
}

/// Forwards an OP_QUERY while inspection is off, unless it has hidden arguments. Old drivers
/// send one such message for each connection, others none.
step request_side::relay_query(const request_view& received, const request_view& read,
                               const unpacking_result* unpacked) {
  const bool cannot_be_held = std::exchange(holding_refused_, false);
  wire::wire_errc error = wire::wire_errc::too_large;
  if (received.is_whole()) {
    const bool has_failed = unpacked != nullptr && !*unpacked;
    const auto command = has_failed ? wire::result<wire::command>{unpacked->error()}
                                    : wire::parse_command(read.header, read.bytes);
    error = command ? wire::wire_errc{} : command.error();
  } else if (!cannot_be_held) {
    return step::need(static_cast<std::size_t>(received.header.length));
  }
  connection_.client.make_unknown();
  return pass(received, inspector_.relay_query(received, error));
}

[[gnu::always_inline]] inline step request_side::judge_whole(const request_view& received,
                                                             const request_view& read,
                                                             unpacking_result* unpacked) {
  if (unpacked != nullptr && !*unpacked) {
    return pass(received, inspector_.pass_unread(received, unpacked->error()));
  }
  if (inspector_.hints().awaits_reads() && !catalog_progress_.is_over) {
    if (const auto wait = wait_for_catalog(read)) return *wait;
    return begin_request(view_of(received.bytes, received.now));
  }
  if (inspector::is_large(read)) {
    auto block = unpacked != nullptr ? std::move((*unpacked)->own) : budgeted_block{};
    judging_ = inspector_.begin_judging(read, block);
    if (judging_) return await();
  }
  return pass(received, inspector_.inspect(read));
}

/// Decides on a request. `received`: the request as it arrived. `read`: the same, or its
/// decompressed content. `unpacked`: null if the request isn't compressed, or isn't
/// decompressed yet. Inline, because for nearly every request `received` and `read` are the
/// same object.
[[gnu::always_inline]] inline step request_side::judge_request(const request_view& received,
                                                               const request_view& read,
                                                               unpacking_result* unpacked) {
  if (connection_.guards_x509) {
    if (const auto refused = guard(received, read, unpacked)) return *refused;
  }
  const auto length = static_cast<std::size_t>(received.header.length);
  const bool is_passed_unread = !inspector_.is_on() || holding_refused_;
  const std::size_t needed = is_passed_unread ? std::min(length, op_msg_head_bytes) : length;
  if (!inspector_.is_on()) {
    if (received.bytes.size() < needed) return step::need(needed);
    if (is_query(received)) return relay_query(received, read, unpacked);
    connection_.client.make_unknown();
    return pass(received, inspector_.relay(received));
  }
  if (!is_readable(read.header.op)) {
    // The error depends on the opCode alone: the message can't contain a command.
    const auto error = wire::parse_command(read.header, read.bytes).error();
    return pass(received, inspector_.pass_unread(read, error));
  }
  if (received.bytes.size() < needed && !holding_refused_) {
    const std::size_t enough = inspector_.streamable_bytes();
    if (received.bytes.size() < enough) return step::need(std::min(needed, enough));
    streaming_ = inspector_.begin_streaming(received);
    if (streaming_) return begin_passing(received, passage::followed);
  }
  if (received.bytes.size() < needed) return step::need(needed);
  if (std::exchange(holding_refused_, false)) {
    return pass(received, inspector_.pass_unread(received, wire::wire_errc::too_large));
  }
  return judge_whole(received, read, unpacked);
}

/// Whether a request is complete and compressed, and must be decompressed to decide on it.
bool request_side::must_unpack(const request_view& request) const noexcept {
  return request.header.op == wire::opcode::compressed && request.is_whole() &&
         (connection_.guards_x509 || is_query(request) ||
          (inspector_.is_on() && !holding_refused_));
}

step request_side::begin_request(const request_view& request) {
  if (!must_unpack(request)) [[likely]]
    return judge_request(request, request, nullptr);
  if (!unpacking_ && !holding_refused_) unpacking_ = inspector_.begin_unpacking(request);
  if (unpacking_ && !unpacking_->is_over()) return await();
  auto unpacked = inspector_.unpack(request, unpacking_.get());
  return judge_request(request, unpacked ? request.as(*unpacked) : request, &unpacked);
}

step request_side::next(std::span<const std::byte> unread, clock::time_point now) {
  if (is_awaiting_ || is_held() || catalog_progress_.is_waiting) return step::wait();
  if (finishing_) return next_of_finishing(unread);
  if (held_) return enter_queue(view_of(unread, now));
  if (passing_ != 0) return pass_rest(unread, now);
  if (header_.length == 0) {
    if (unread.size() < header_bytes) return step::need(header_bytes);
    if (const auto wrong = take_header(unread)) return refuse_request(*wrong, unread, now);
  }
  if (static_cast<std::size_t>(header_.length) > inspector_.max_request_bytes()) {
    return finish_with(telemetry::close_reason::limit, unread, now);
  }
  if (must_wait_for_identity()) return step::wait();
  if (pending_.is_full() && !pending_.make_room()) {
    if (!pending_.front().may_stay_unanswered) return step::wait();
    replies_.settle_front({now, false, {}});
  }
  return begin_request(view_of(unread, now));
}

step request_side::await() noexcept {
  is_awaiting_ = true;
  return step::await();
}

step request_side::on_awaited(std::span<const std::byte> unread, clock::time_point now) {
  is_awaiting_ = false;
  if (!judging_) return next(unread, now);  // the work was decompression
  if (passing_ != 0) return follow(unread.first(passing_), now);
  const request_view request = view_of(unread, now);
  const auto judged = std::move(judging_);
  return pass(request, inspector_.inspect(request, *judged));
}

step request_side::pass(const request_view& request, inspection inspected) {
  unpacking_.reset();
  if (inspected.held) {
    held_ = std::move(inspected.held);
    return enter_queue(request);
  }
  switch (inspected.outcome) {
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

step request_side::begin_passing(const request_view& request, passage chosen) {
  ++seen_;
  catalog_progress_ = {};
  passage_ = chosen;
  passing_ = static_cast<std::uint32_t>(std::exchange(header_.length, 0));
  return pass_rest(request.bytes, request.now);
}

/// Forwards the bytes that have arrived of a streamed request. Judges the request when they
/// include its last byte.
step request_side::follow(std::span<const std::byte> arrived, clock::time_point now) {
  const bool is_end = arrived.size() == passing_;
  const auto judged = std::exchange(judging_, nullptr);
  if (!judged) {
    const std::uint64_t before = streaming_->digest().steps();
    streaming_->feed(arrived);
    inspector_.charge((streaming_->digest().steps() - before) *
                      net::work_meter::stream_cost_per_step);
    if (is_end) judging_ = inspector_.begin_judging(*streaming_);
    if (judging_) return await();
  }
  passing_ -= static_cast<std::uint32_t>(arrived.size());
  if (is_end) {
    auto inspected = inspector_.inspect_streamed(*streaming_, judged.get(), connection_, now);
    if (inspected.pending) pending_.push(std::move(inspected.pending));
    streaming_.reset();
  }
  return step::forward(arrived.size());
}

request_side::~request_side() {
  give_up_place(clock::time_point::min());  // the time doesn't matter: the connection is gone
}

/// Whether a reply to an earlier request is outstanding, or not completely sent. Until then
/// mongos wouldn't execute the current request anyway: it handles a connection's requests one
/// by one.
bool request_side::must_be_answered_before() const noexcept {
  if (has_unsent_replies_ || !replies_.is_between()) return true;
  const pending_request* each = pending_.first();
  while (each != nullptr && each->may_stay_unanswered) each = each->next.get();
  return each != nullptr;
}

/// Identifies the client for the throttle's fair queue: by its IPv4 address; by its IPv6
/// network (/64), because one client may own all of that (RFC 4291, section 2.5.4); on a Unix
/// socket by its user.
std::string_view request_side::client_key() const noexcept {
  if (const net::ip_address* const from = connection_.client.address()) {
    return net::network_bytes(*from);
  }
  return connection_.counted_as != nullptr ? std::string_view{*connection_.counted_as}
                                           : std::string_view{};
}

/// Enters the throttle's queue. Only a complete request that mongos would answer next may take
/// a slot: otherwise a client could occupy the slot indefinitely, by not sending the rest of
/// the request or not reading replies.
step request_side::enter_queue(const request_view& request) {
  if (must_be_answered_before()) return step::wait();
  const bool is_too_large = std::exchange(holding_refused_, false);
  if (!request.is_whole() && !is_too_large) {
    return step::need(static_cast<std::size_t>(request.header.length));
  }
  if (!request.is_whole() || !pending_.is_empty()) {
    return refuse_held(request, throttle_refusal::full);
  }
  throttle& by = *held_->by;
  switch (by.enter(held_->place, inspector_.throttling().waker(), request.now, client_key())) {
    case throttle::entry_result::admitted:
      return pass(request, inspector_.throttling().admit(request, std::move(held_)));
    case throttle::entry_result::full:
      return refuse_held(request, throttle_refusal::full);
    case throttle::entry_result::waits:
      break;
  }
  held_->is_in_queue = true;
  held_->until = request.now + by.longest_wait();
  inspector_.metrics().throttle_waiting.add();
  return step::hold();
}

step request_side::refuse_held(const request_view& request, throttle_refusal why) {
  return pass(request, inspector_.throttling().refuse(request, std::move(held_), why));
}

/// Makes the current request wait until the live catalog has been read again. Earlier requests,
/// which may change the catalog, must be answered before that read begins. std::nullopt if the
/// request needn't wait. `read`: the complete request, decompressed.
std::optional<step> request_side::wait_for_catalog(const request_view& read) {
  catalog_progress_.is_turn_awaited = must_be_answered_before();
  if (!catalog_progress_.is_turn_awaited) {
    const auto awaited = inspector_.begin_catalog_wait(read, catalog_progress_.is_late);
    catalog_.read = awaited.value_or(0);
    catalog_.until = read.now + catalog_patience;
    catalog_progress_.is_waiting = awaited.has_value();
    catalog_progress_.is_over = !catalog_progress_.is_waiting;
  }
  if (catalog_progress_.is_over) return std::nullopt;
  unpacking_.reset();  // occupies no memory while the request waits
  return catalog_progress_.is_waiting ? step::hold() : step::wait();
}

std::optional<clock::time_point> request_side::held_until(clock::time_point now) const {
  if (catalog_progress_.is_waiting) {
    const bool is_over = inspector_.hints().has_read(catalog_.read) || now >= catalog_.until;
    return is_over ? std::nullopt : std::optional{catalog_.until};
  }
  const throttle::place& place = held_->place;
  if (place.is_admitted() || place.is_displaced() || now >= held_->until) return std::nullopt;
  if (!place.is_first()) return held_->until;
  const auto due = held_->by->next_look(now);
  if (place.is_admitted()) return std::nullopt;
  return due ? std::min(*due, held_->until) : held_->until;
}

step request_side::on_held(std::span<const std::byte> unread, clock::time_point now) {
  if (catalog_progress_.is_waiting) {
    catalog_progress_.is_late = !inspector_.hints().has_read(catalog_.read);
    if (catalog_progress_.is_late) inspector_.hints().note_late();
    catalog_progress_.is_waiting = false;
    catalog_progress_.is_over = true;
    return next(unread, now);
  }
  const request_view request = view_of(unread, now);
  if (leave_queue(now)) {
    return pass(request, inspector_.throttling().admit(request, std::move(held_)));
  }
  return refuse_held(
      request, held_->place.is_displaced() ? throttle_refusal::full : throttle_refusal::waited);
}

/// Leaves the throttle's queue. Returns whether the throttle has admitted the request.
bool request_side::leave_queue(clock::time_point now) noexcept {
  held_->is_in_queue = false;
  inspector_.metrics().throttle_waiting.sub();
  return held_->by->leave(held_->place, now);
}

void request_side::give_up_place(clock::time_point now) noexcept {
  if (is_held() && leave_queue(now)) held_->by->release();
}

void request_side::end(clock::time_point now) {
  give_up_place(now);
  if (!held_) return;
  auto pending = inspector_.throttling().release(std::move(held_));
  pending->sent = now;
  inspector_.accounting().complete(*pending, {now, false, {}}, connection_);
  inspector_.accounting().give_back(std::move(pending));
}

}  // namespace scattergate::proxy
