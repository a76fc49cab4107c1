#include "proxy/judging/large_judgement.hpp"

#include "routing/classify.hpp"
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

bool large_judgement::advance(judging_memory& memory) noexcept {
  const auto before = computed();
  reading_ = message_reading::of(header_, message_, work_);
  if (reading_.command) {
    const wire::command& command = *reading_.command;
    verdict_ = routing::classify(command, *initial_settings_->catalog, memory.verdict(), work_);
    shape_ = routing::hash_shape(command, memory.shape());
  }
  took_ = computed() - before;
  return true;
}

}  // namespace scattergate::proxy
