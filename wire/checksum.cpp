#include <boost/crc.hpp>

#include "wire/op_msg.hpp"

namespace scattergate::wire {
namespace {

using castagnoli = boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true>;

}  // namespace

void running_checksum::add(std::span<const std::byte> bytes) noexcept {
  castagnoli crc{remainder_};
  crc.process_bytes(bytes.data(), bytes.size());
  remainder_ = crc.get_interim_remainder();
}

std::uint32_t running_checksum::value() const noexcept {
  return castagnoli{remainder_}.checksum();
}

std::uint32_t checksum_of(std::span<const std::byte> message) noexcept {
  constexpr std::size_t checksum_bytes = 4;
  if (message.size() < checksum_bytes) return 0;
  running_checksum sum;
  sum.add(message.first(message.size() - checksum_bytes));
  return sum.value();
}

}  // namespace scattergate::wire
