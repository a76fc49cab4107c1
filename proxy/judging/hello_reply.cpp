#include "proxy/judging/hello_reply.hpp"

#include "wire/bson.hpp"
#include "wire/op_msg.hpp"
#include "wire/op_query.hpp"

namespace scattergate::proxy {
namespace {

std::optional<wire::document_view> document_of(const wire::message_header& header,
                                               std::span<const std::byte> message) {
  if (header.op == wire::opcode::msg) {
    const auto reply = wire::parse_op_msg(header, message);
    return reply ? std::optional{reply->body} : std::nullopt;
  }
  if (header.op != wire::opcode::reply) return std::nullopt;
  const auto reply = wire::parse_op_reply(header, message);
  return reply ? wire::document_view::first_of(reply->documents) : std::nullopt;
}

}  // namespace

std::optional<std::string> replica_set_of(const wire::message_header& header,
                                          std::span<const std::byte> message) {
  const auto document = document_of(header, message);
  if (!document) return std::nullopt;
  const auto name = wire::find_field(*document, "setName");
  if (!name || !name->is_string()) return std::nullopt;
  return std::string{name->as_string()};
}

}  // namespace scattergate::proxy
