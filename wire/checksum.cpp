#include "wire/crc32c.hpp"
#include "wire/op_msg.hpp"

namespace scattergate::wire {

void running_checksum::add(std::span<const std::byte> bytes) noexcept {
  value_ = crc32c(value_, bytes);
}

std::uint32_t checksum_of(std::span<const std::byte> message) noexcept {
  constexpr std::size_t checksum_bytes = 4;
  if (message.size() < checksum_bytes) return 0;
  return crc32c(0, message.first(message.size() - checksum_bytes));
}

}  // namespace scattergate::wire
