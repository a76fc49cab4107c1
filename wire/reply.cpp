#include "wire/reply.hpp"

#include <array>
#include <cstddef>
#include <span>

#include "wire/bson_writer.hpp"
#include "wire/endian.hpp"
#include "wire/header.hpp"
#include "wire/limits.hpp"
#include "wire/op_msg.hpp"

namespace scattergate::wire {
namespace {

/// Frames a command's document: flagBits 0, one section of kind 0.
std::vector<std::byte> to_message(std::int32_t request_id, std::span<const std::byte> body) {
  std::vector<std::byte> message(limits::op_msg_head_bytes + op_msg_layout::kind_bytes);
  message.insert(message.end(), body.begin(), body.end());
  serialize_header({static_cast<std::int32_t>(message.size()), request_id, 0, opcode::msg},
                   std::span{message}.first<limits::header_bytes>());
  return message;
}

/// The document of a failed command, in the order in which mongos writes it.
std::vector<std::byte> document_of(const command_error& error) {
  constexpr std::array<std::byte, sizeof(double)> zero{};
  bson_writer writer;
  writer.raw("ok", bson_type::float64, zero);
  writer.text("errmsg", error.message);
  writer.int32("code", static_cast<std::int32_t>(error.code));
  writer.text("codeName", name_of(error.code));
  if (!error.labels.empty()) {
    writer.open_array("errorLabels");
    // Fewer than ten labels, so that each index is one digit.
    for (std::size_t i = 0; i < error.labels.size(); ++i) {
      const char name = static_cast<char>('0' + i);
      writer.text({&name, 1}, error.labels[i]);
    }
    writer.close();
  }
  return writer.take();
}

/// A message: header, `head_bytes` zero bytes for the caller to fill in, document.
std::vector<std::byte> build(opcode op, std::int32_t request_id, std::int32_t response_to,
                             std::size_t head_bytes, const command_error& error) {
  const auto body = document_of(error);
  const std::size_t size = limits::header_bytes + head_bytes + body.size();
  std::vector<std::byte> message(limits::header_bytes + head_bytes);
  message.reserve(size);
  serialize_header({static_cast<std::int32_t>(size), request_id, response_to, op},
                   std::span{message}.first<limits::header_bytes>());
  message.insert(message.end(), body.begin(), body.end());
  return message;
}

}  // namespace

std::vector<std::byte> build_hello(std::int32_t request_id) {
  bson_writer body;
  body.int32("hello", 1);
  body.text("$db", "admin");
  return to_message(request_id, body.take());
}

std::vector<std::byte> build_shards_read(std::int32_t request_id) {
  bson_writer body;
  body.text("find", "shards");
  body.int32("limit", 1);
  body.boolean("singleBatch", true);
  body.text("comment", "scattergate health check");
  body.open_document("$readPreference");
  body.text("mode", "nearest");
  body.close();
  body.text("$db", "config");
  return to_message(request_id, body.take());
}

std::vector<std::byte> build_user_lookup(std::int32_t request_id) {
  bson_writer body;
  body.int32("hello", 1);
  body.text("saslSupportedMechs", "admin.scattergate-health-check");
  body.text("$db", "admin");
  return to_message(request_id, body.take());
}

std::vector<std::byte> build_error_msg(std::int32_t request_id, std::int32_t response_to,
                                       const command_error& error) {
  // flagBits 0, section kind 0
  constexpr std::size_t head_bytes = op_msg_layout::flags_bytes + op_msg_layout::kind_bytes;
  return build(opcode::msg, request_id, response_to, head_bytes, error);
}

std::vector<std::byte> build_error_reply(std::int32_t request_id, std::int32_t response_to,
                                         const command_error& error) {
  constexpr std::size_t head_bytes = 20;  // flags, cursorID and startingFrom are 0;
                                          // numberReturned is 1
  constexpr std::size_t number_returned_offset = limits::header_bytes + 16;
  auto message = build(opcode::reply, request_id, response_to, head_bytes, error);
  store_little(message.data() + number_returned_offset, std::int32_t{1});
  return message;
}

}  // namespace scattergate::wire
