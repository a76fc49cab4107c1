// Implements the part of session that reports faults to the condition board when it ends.

#include "net/failing_memory.hpp"
#include "proxy/session/session.hpp"
#include "wire/error.hpp"

namespace scattergate::proxy {
namespace {

using telemetry::close_reason;
using telemetry::condition_kind;

}  // namespace

/// Reports a fault at this session's listener. Skipped if there is no memory for it.
void session::note_fault(condition_kind kind, std::string_view subject,
                         std::string_view detail) noexcept {
  net::done_unless_memory_fails([&] {
    host_.note_fault(kind, {subject, upstream_.facts().address}, detail);
  });
}

/// Reports a limit that this session's client has reached.
void session::note_limit(std::string_view limit, std::string_view detail) noexcept {
  net::done_unless_memory_fails([&] {
    note_fault(condition_kind::limit_reached,
               std::string{limit}.append(", ").append(counted_as()), detail);
  });
}

void session::note_wire_error() noexcept {
  if (const auto error = fsm_.broken_by_mongos()) {
    net::done_unless_memory_fails(
        [&] { note_fault(condition_kind::wire_errors, use_->text(), label(*error)); });
    return;
  }
  const auto error = fsm_.broken_by_client().value_or(wire::wire_errc::not_tls);
  note_fault(condition_kind::wire_errors, counted_as(), label(error));
}

/// Reports the fault that has ended the session. Reasons without a case here are normal, or
/// mongos's faults, which upstream_troubles reports.
void session::note_end(close_reason why) noexcept {
  switch (why) {
    case close_reason::wire_error:
      return note_wire_error();
    case close_reason::tls_failed:
      return note_fault(condition_kind::tls_failures, counted_as(), client_.tls_failure());
    case close_reason::limit:
      return note_limit("limits.message_size",
                        "a message exceeded the limit; connection closed");
    case close_reason::first_message:
      return note_limit("limits.first_message", "first message was late; connection closed");
    case close_reason::message:
      return note_limit("limits.message", "a message was late; connection closed");
    case close_reason::no_memory:
      net::done_unless_memory_fails([&] {
        host_.note_fault(condition_kind::limit_reached, "memory", "no memory; disconnected");
      });
      return;
    default:
      return;
  }
}

}  // namespace scattergate::proxy
