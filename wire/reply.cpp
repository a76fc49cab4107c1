#include "wire/reply.hpp"

#include <cstddef>
#include <span>

#include <bson/bson.h>

#include "wire/endian.hpp"
#include "wire/header.hpp"

namespace scattergate::wire {
namespace {

/// The document of a failed command, in the order mongos writes it.
/// Thread-safety: one thread.
class error_document {
 public:
  explicit error_document(const command_error& error) {
    bson_init(&document_);
    bson_append_double(&document_, "ok", -1, 0.0);
    append("errmsg", error.message);
    bson_append_int32(&document_, "code", -1, error.code);
    append("codeName", error.code_name);
  }
  error_document(const error_document&) = delete;
  error_document& operator=(const error_document&) = delete;
  ~error_document() { bson_destroy(&document_); }

  [[nodiscard]] std::span<const std::byte> bytes() const noexcept {
    return std::as_bytes(std::span{bson_get_data(&document_), document_.len});
  }

 private:
  void append(const char* key, std::string_view text) {
    bson_append_utf8(&document_, key, -1, text.data() == nullptr ? "" : text.data(),
                     static_cast<int>(text.size()));
  }

  bson_t document_;
};

/// Header, `head` zero bytes for the caller to fill, the document.
std::vector<std::byte> build(opcode op, std::int32_t request_id, std::int32_t response_to,
                             std::size_t head_bytes, const command_error& error) {
  const error_document document{error};
  const auto body = document.bytes();
  const std::size_t size = limits::header_bytes + head_bytes + body.size();
  std::vector<std::byte> message(limits::header_bytes + head_bytes);
  message.reserve(size);
  serialize_header({static_cast<std::int32_t>(size), request_id, response_to, op},
                   std::span{message}.first<limits::header_bytes>());
  message.insert(message.end(), body.begin(), body.end());
  return message;
}

}  // namespace

std::vector<std::byte> build_error_msg(std::int32_t request_id, std::int32_t response_to,
                                       const command_error& error) {
  constexpr std::size_t head_bytes = 5;  // flagBits 0, section kind 0
  return build(opcode::msg, request_id, response_to, head_bytes, error);
}

std::vector<std::byte> build_error_reply(std::int32_t request_id, std::int32_t response_to,
                                         const command_error& error) {
  constexpr std::size_t head_bytes = 20;  // flags, cursorID, startingFrom all 0; then
  constexpr std::size_t number_returned_offset = limits::header_bytes + 16;
  auto message = build(opcode::reply, request_id, response_to, head_bytes, error);
  store_little(message.data() + number_returned_offset, std::int32_t{1});
  return message;
}

}  // namespace scattergate::wire
