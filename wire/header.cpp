#include "wire/header.hpp"

#include "wire/endian.hpp"

namespace scattergate::wire {

result<message_header> parse_header(
    std::span<const std::byte, limits::header_bytes> bytes) noexcept {
  message_header header;
  header.length = load_little<std::int32_t>(bytes.data());
  header.request_id = load_little<std::int32_t>(bytes.data() + 4);
  header.response_to = load_little<std::int32_t>(bytes.data() + 8);
  header.op = static_cast<opcode>(load_little<std::int32_t>(bytes.data() + 12));
  if (header.length < static_cast<std::int32_t>(limits::header_bytes) ||
      header.length > static_cast<std::int32_t>(limits::max_message_bytes)) {
    return wire_errc::bad_length;
  }
  return header;
}

void serialize_header(const message_header& header,
                      std::span<std::byte, limits::header_bytes> bytes) noexcept {
  store_little(bytes.data(), header.length);
  store_little(bytes.data() + 4, header.request_id);
  store_little(bytes.data() + 8, header.response_to);
  store_little(bytes.data() + 12, static_cast<std::int32_t>(header.op));
}

bool is_known(opcode op) noexcept {
  switch (op) {
    case opcode::reply:
    case opcode::update:
    case opcode::insert:
    case opcode::query:
    case opcode::get_more:
    case opcode::delete_:
    case opcode::kill_cursors:
    case opcode::compressed:
    case opcode::msg:
      return true;
  }
  return false;
}

}  // namespace scattergate::wire
