#include "proxy/judging/message_reading.hpp"

#include "wire/crc32c.hpp"

namespace scattergate::proxy {

message_reading message_reading::of(const wire::message_header& header,
                                    std::span<const std::byte> message,
                                    wire::work_budget& work) noexcept {
  message_reading read;
  if (header.op != wire::opcode::msg) {
    read.command = wire::parse_command(header, message);
    return read;
  }
  // Parsed here rather than by parse_command, because the checksum is needed.
  const auto parsed = wire::parse_op_msg(header, message);
  if (!parsed) {
    read.command = parsed.error();
    return read;
  }
  read.parsed = *parsed;
  if (parsed->checksum && message.size() <= wire::crc32c_bytes_at_once()) {
    read.has_good_checksum = *parsed->checksum == wire::checksum_of(message);
    constexpr std::size_t bytes_a_unit = 5;
    work.charge(message.size() / bytes_a_unit);
  }
  read.command = wire::command_of(read.parsed);
  return read;
}

}  // namespace scattergate::proxy
