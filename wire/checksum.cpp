#include <boost/crc.hpp>

#include "wire/op_msg.hpp"

namespace scattergate::wire {

std::uint32_t checksum_of(std::span<const std::byte> message) noexcept {
  constexpr std::size_t checksum_bytes = 4;
  if (message.size() < checksum_bytes) return 0;
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;  // Castagnoli
  crc.process_bytes(message.data(), message.size() - checksum_bytes);
  return static_cast<std::uint32_t>(crc.checksum());
}

}  // namespace scattergate::wire
