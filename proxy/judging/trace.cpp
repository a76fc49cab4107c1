#include "proxy/judging/trace.hpp"

#include "proxy/judging/comment.hpp"
#include "wire/op_msg.hpp"

namespace scattergate::proxy {

wire::trace_id trace_of(const wire::message_header& header,
                        std::span<const std::byte> message) noexcept {
  if (header.op != wire::opcode::msg || message.empty()) return {};
  const auto parsed = wire::parse_op_msg(header, message);
  if (!parsed) return {};
  if (!parsed->traceparent.empty()) return wire::trace_id_of(parsed->traceparent);
  return wire::trace_id_of(traceparent_in_comment(parsed->body));
}

}  // namespace scattergate::proxy
