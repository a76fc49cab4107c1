// The part of inspector that keeps MONGODB-X509 from mongos (proxy/judging/x509_guard.hpp).

#include <utility>

#include "proxy/judging/expected_replies.hpp"
#include "proxy/judging/inspector.hpp"
#include "proxy/judging/x509_guard.hpp"
#include "routing/classify.hpp"

namespace scattergate::proxy {

std::optional<inspection> inspector::guard_packed(wire::wire_errc error) noexcept {
  if (look_for_x509_in_packed(error) == x509_answer::harmless) return std::nullopt;
  return inspection{disposition::close, nullptr};
}

std::optional<inspection> inspector::guard_x509(const request_view& request) {
  if (request.header.op == wire::opcode::compressed && request.is_whole()) {
    const auto unpacked = unpack(request);
    if (!unpacked) return guard_packed(unpacked.error());
    return guard_x509(request.as(*unpacked));  // no further
  }
  switch (look_for_x509(request.header, request.bytes)) {
    case x509_answer::harmless:
      return std::nullopt;
    case x509_answer::forbidden:
      return refuse_x509(request);
    case x509_answer::unclear:
      break;
  }
  return inspection{disposition::close, nullptr};
}

inspection inspector::refuse_x509(const request_view& request) {
  const auto& [header, bytes, connection, now, unpacking] = request;
  metrics_.x509_rejected.add();
  auto pending = accounting_.take();
  pending->awaits = header.request_id;
  pending->sent = now;
  if (const auto command = wire::parse_command(header, bytes); command && is_on()) {
    pending->is_counted = true;
    work_ = wire::work_budget::for_message(bytes.size());
    const auto verdict =
        routing::classify(*command, *settings_->catalog, memory_.verdict(), work_);
    remember_verdict(*command, verdict, *pending);
  }
  if (!expect_replies(request).is_answered) {
    return complete_unanswered(request, std::move(pending), disposition::drop);
  }
  pending->is_rejected = true;
  pending->rejection = x509_refusal_of(header, next_reply_id_++);
  return {disposition::drop, std::move(pending)};
}

}  // namespace scattergate::proxy
