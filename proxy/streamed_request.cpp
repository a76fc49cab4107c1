#include "proxy/streamed_request.hpp"

#include <algorithm>

namespace scattergate::proxy {

void streamed_request::take(std::span<const std::byte> bytes) {
  if (checksum_) take_checksum(bytes);
  at_ += bytes.size();
  if (!digest_.is_followed()) return;
  if (!make_room(bytes.size())) return give_up(wire::wire_errc::too_large);
  if (!digest_.feed(bytes)) give_up(wire::wire_errc::bad_bson);
}

void streamed_request::give_up(wire::wire_errc error) {
  error_ = error;
  digest_.give_up();
  share_.reset();
}

/// Whether there is room to keep so many bytes more.
bool streamed_request::make_room(std::size_t bytes) {
  const std::size_t needed = digest_.kept().size() + bytes + wire::message_digest::slack_bytes;
  if (share_ && share_->bytes() >= needed) return true;
  auto larger = budget_share::of(memory_, 2 * needed);
  if (!larger || !digest_.reserve(larger->bytes())) return false;
  share_.emplace(std::move(*larger));
  return true;
}

/// The checksum is the message's last four bytes.
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
