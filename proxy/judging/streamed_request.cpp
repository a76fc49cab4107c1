#include "proxy/judging/streamed_request.hpp"

#include <algorithm>
#include <utility>

#include "proxy/flow_buffer.hpp"
#include "proxy/judging/client_identity.hpp"
#include "routing/statements/digest_rules.hpp"
#include "wire/command.hpp"
#include "wire/endian.hpp"

namespace scattergate::proxy {

std::unique_ptr<streamed_request> streamed_request::begin(
    const request_view& request, const std::shared_ptr<const settings>& current) {
  const auto& header = request.header;
  const auto length = static_cast<std::size_t>(header.length);
  if (header.op != wire::opcode::msg || length <= block_pool::block_bytes) return nullptr;
  if (current->rules.has_blocking_rules() || current->waits_for_catalog) return nullptr;
  const auto command = wire::name_of_command(request.bytes);
  // Commands that may change the client's identity are read completely, whatever their size.
  if (!command || is_about_client(routing::kind_of(*command))) return nullptr;
  return std::make_unique<streamed_request>(header, request.bytes, *command, current,
                                            request.connection.memory);
}

streamed_request::streamed_request(const wire::message_header& header,
                                   std::span<const std::byte> start, std::string_view command,
                                   std::shared_ptr<const settings> current,
                                   telemetry::memory_share& memory)
    : header_(header),
      initial_settings_(std::move(current)),
      digest_(routing::digest_rules_for(command, *initial_settings_->catalog)),
      memory_(memory) {
  std::ranges::copy(start.first(head_.size()), head_.begin());
  const auto flags =
      wire::load_little<std::uint32_t>(head_.data() + wire::limits::header_bytes);
  if ((flags & wire::msg_flag::checksum_present) != 0) checksum_.emplace();
}

void streamed_request::feed(std::span<const std::byte> bytes) {
  if (checksum_) take_checksum(bytes);
  at_ += bytes.size();
  if (!digest_.is_valid_so_far()) return;
  if (!make_room(bytes.size())) return give_up(wire::wire_errc::too_large);
  if (!digest_.feed(bytes)) give_up(digest_.error());
}

void streamed_request::give_up(wire::wire_errc error) {
  digest_.give_up(error);
  memory_.release();
}

/// Makes room for `bytes` more bytes in the digest. Returns false if the memory share is
/// exhausted. Allocates at most twice the bytes that are needed now, because the length in the
/// header may be false.
bool streamed_request::make_room(std::size_t bytes) {
  const std::size_t slack = wire::message_digest::slack_bytes;
  const std::size_t needed = digest_.kept().size() + bytes + slack;
  if (memory_.bytes() >= needed) return true;
  const std::size_t all = static_cast<std::size_t>(header_.length) + slack;
  return memory_.grow_to(std::min(2 * needed, all)) && digest_.reserve(memory_.bytes());
}

/// Adds the next bytes to the computed checksum. The message's last four bytes are the sent
/// checksum.
void streamed_request::take_checksum(std::span<const std::byte> bytes) noexcept {
  const std::size_t sum_at = static_cast<std::size_t>(header_.length) - sizeof sent_checksum_;
  const std::size_t before = std::min(bytes.size(), sum_at - std::min(sum_at, at_));
  checksum_->add(bytes.first(before));
  std::size_t position = at_ + before;
  for (const std::byte each : bytes.subspan(before)) {
    sent_checksum_ |= std::to_integer<std::uint32_t>(each) << (8 * (position++ - sum_at));
  }
}

std::optional<bool> streamed_request::has_good_checksum() const noexcept {
  if (!checksum_) return std::nullopt;
  return checksum_->value() == sent_checksum_;
}

}  // namespace scattergate::proxy
