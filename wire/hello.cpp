#include "wire/hello.hpp"

#include <array>
#include <span>

#include "wire/header.hpp"
#include "wire/limits.hpp"

namespace scattergate::wire {
namespace {

/// flagBits 0, section kind 0, {hello: 1, $db: "admin"}
constexpr char body[] =
    "\0\0\0\0"
    "\0"
    "\x1f\0\0\0"
    "\x10hello\0\1\0\0\0"
    "\2$db\0\6\0\0\0admin\0";  // the literal's own NUL closes the document

}  // namespace

std::vector<std::byte> build_hello(std::int32_t request_id) {
  const auto content = std::as_bytes(std::span{body});
  std::vector<std::byte> message(limits::header_bytes);
  serialize_header({static_cast<std::int32_t>(limits::header_bytes + content.size()),
                    request_id, 0, opcode::msg},
                   std::span{message}.first<limits::header_bytes>());
  message.insert(message.end(), content.begin(), content.end());
  return message;
}

}  // namespace scattergate::wire
