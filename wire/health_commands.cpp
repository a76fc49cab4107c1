#include "wire/health_commands.hpp"

#include <span>

#include "wire/bson_writer.hpp"
#include "wire/header.hpp"
#include "wire/limits.hpp"
#include "wire/op_msg_layout.hpp"

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

}  // namespace scattergate::wire
