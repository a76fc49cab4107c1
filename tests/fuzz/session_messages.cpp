#include "session_messages.hpp"

#include <cstring>
#include <string>
#include <string_view>

#include "tests/support/json_document.hpp"
#include "wire/compressed.hpp"
#include "wire/endian.hpp"
#include "wire/header.hpp"
#include "wire/op_msg.hpp"

namespace scattergate::fuzz {
namespace {

using bytes = std::vector<std::byte>;
using wire::opcode;
using wire::limits::header_bytes;
using wire::msg_flag::exhaust_allowed;
using wire::msg_flag::more_to_come;

void append(bytes& to, const void* data, std::size_t size) {
  if (size == 0) return;
  const std::size_t before = to.size();
  to.resize(before + size);
  std::memcpy(to.data() + before, data, size);
}

bytes framed(opcode op, const bytes& payload) {
  bytes message(header_bytes);
  append(message, payload.data(), payload.size());
  wire::serialize_header({static_cast<std::int32_t>(message.size()), 0, 0, op},
                         std::span{message}.first<header_bytes>());
  return message;
}

bytes op_msg(std::string_view json, std::uint32_t flags = 0) {
  const tests::json_document document{json};
  bytes payload;
  append(payload, &flags, sizeof flags);
  payload.push_back(std::byte{0});
  append(payload, document.view().bytes().data(), document.view().bytes().size());
  return framed(opcode::msg, payload);
}

bytes op_query(std::string_view json) {
  const tests::json_document document{json};
  constexpr std::string_view collection{"admin.$cmd\0", 11};
  constexpr std::int32_t skip_and_return[] = {0, -1};
  bytes payload(4);  // flags
  append(payload, collection.data(), collection.size());
  append(payload, skip_and_return, sizeof skip_and_return);
  append(payload, document.view().bytes().data(), document.view().bytes().size());
  return framed(opcode::query, payload);
}

bytes op_reply(std::string_view json) {
  const tests::json_document document{json};
  bytes payload(20);  // flags, cursor, first, count
  payload[16] = std::byte{1};
  append(payload, document.view().bytes().data(), document.view().bytes().size());
  return framed(opcode::reply, payload);
}

bytes large_reply() {
  return op_msg(R"({"cursor":{"firstBatch":[{"t":")" + std::string(70'000, 'x') +
                R"("}],"id":{"$numberLong":"0"},"ns":"app.items"},"ok":1})");
}

/// Larger than a block, so that it is forwarded while it arrives if no rule rejects.
bytes large_update(std::string_view filter, std::uint32_t flags = 0) {
  return op_msg(R"({"update":"items","updates":[{"q":)" + std::string{filter} +
                    R"(,"u":{"$set":{"a":")" + std::string(80'000, 'x') +
                    R"("}},"multi":true}],"$db":"app"})",
                flags);
}

/// With a field of an unknown type after its text.
bytes broken_large_update() {
  bytes message = large_update("{}");
  message[message.size() - 14] = std::byte{0x42};
  return message;
}

/// With the ids of a message that is sent.
bytes addressed(bytes message, std::int32_t id, std::int32_t to) {
  wire::store_little(message.data() + 4, id);
  wire::store_little(message.data() + 8, to);
  return message;
}

constexpr std::string_view targeted = R"({"find":"items","filter":{"tenant":1},"$db":"app"})";
constexpr std::string_view scattered = R"({"find":"items","filter":{"x":1},"$db":"app"})";
constexpr std::string_view more =
    R"({"getMore":{"$numberLong":"77"},"collection":"items","$db":"app"})";

}  // namespace

bytes request_message(std::uint8_t which, std::int32_t id) {
  static const std::vector<bytes> requests = {
      op_msg(targeted),
      op_msg(scattered),
      op_msg(R"({"ping":1,"$db":"admin"})"),
      op_msg(R"({"hello":1,"maxAwaitTimeMS":10000,"$db":"admin"})", exhaust_allowed),
      op_msg(R"({"insert":"items","documents":[{"tenant":1}],"$db":"app"})", more_to_come),
      op_msg(R"({"delete":"items","deletes":[{"q":{},"limit":0}],"$db":"app"})", more_to_come),
      op_msg(R"({"delete":"items","deletes":[{"q":{},"limit":0}],"$db":"app"})"),
      op_msg(more),
      op_msg(more, exhaust_allowed),
      op_msg(R"({"find":"unlisted","filter":{},"$db":"app"})"),
      op_msg(R"({"saslStart":1,"mechanism":"PLAIN","$db":"$external"})"),
      op_msg(scattered, 4),  // an unknown flag
      op_query(R"({"isMaster":1,"helloOk":true})"),
      op_query(R"({"$query":{"find":"items","filter":{}}})"),
      wire::compress(op_msg(targeted), wire::compressor::snappy),
      wire::compress(op_msg(scattered), wire::compressor::zlib),
      framed(opcode::msg, {}),
      framed(opcode::msg, bytes(3)),
      framed(opcode::insert, bytes(40)),
      framed(opcode::reply, bytes(40)),
      framed(opcode::compressed, bytes(40)),
      framed(static_cast<opcode>(31337), bytes(9)),
      op_msg(R"({"update":"items","updates":[{"q":{"tenant":1},"u":{"$set":{"a":1}}},)"
             R"({"q":{"x":1},"u":{"$set":{"a":1}},"multi":true}],"$db":"app"})"),
      large_update(R"({"tenant":1})"),
      large_update(R"({"x":1})", more_to_come),
      broken_large_update(),
  };
  return addressed(requests[which % requests.size()], id, 0);
}

bytes reply_message(std::uint8_t which, std::int32_t to, std::int32_t id) {
  static const std::vector<bytes> replies = {
      op_msg(R"({"ok":1})"),
      op_msg(R"({"ok":0,"code":13})"),
      op_msg(R"({"ok":1})", more_to_come),
      op_msg(R"({"cursor":{"firstBatch":[{"a":1}],"id":{"$numberLong":"77"},)"
             R"("ns":"app.items"},"ok":1})"),
      op_msg(R"({"cursor":{"nextBatch":[],"id":{"$numberLong":"0"},"ns":"app.items"},"ok":1})"),
      op_msg(R"({"isWritablePrimary":true,"setName":"rs","hosts":["a:1"],"ok":1})"),
      op_reply(R"({"ok":1})"),
      wire::compress(op_msg(R"({"ok":1})"), wire::compressor::zstd),
      framed(opcode::msg, {}),
      framed(opcode::msg, bytes(5)),
      large_reply(),
  };
  return addressed(replies[which % replies.size()], id, to);
}

}  // namespace scattergate::fuzz
