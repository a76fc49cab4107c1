#include <array>
#include <span>
#include <stdexcept>

#include "bench/hostile.hpp"
#include "wire/endian.hpp"

namespace scattergate::bench {

using bytes = std::vector<std::byte>;

hostile_request::hostile_request(bytes body, std::string_view sequence,
                                 const bytes& documents) {
  // Byte by byte, because g++ 12 warns of overflows when more is inserted at once.
  const auto append = [&](std::span<const std::byte> more) {
    for (const std::byte each : more) message_.push_back(each);
  };
  const auto append_int32 = [&](std::size_t value) {
    std::array<std::byte, 4> room;
    wire::store_little(room.data(), static_cast<std::uint32_t>(value));
    append(room);
  };
  const std::size_t section = sequence.empty() ? 0 : 6 + sequence.size() + documents.size();
  append_int32(wire::limits::op_msg_head_bytes + 1 + body.size() + section);
  append_int32(1);
  append_int32(0);
  append_int32(2013);
  append_int32(0);
  message_.push_back(std::byte{0});
  append(body);
  if (sequence.empty()) return;
  message_.push_back(std::byte{1});
  append_int32(section - 1);
  append(std::as_bytes(std::span{sequence}));
  message_.push_back(std::byte{0});
  append(documents);
}

wire::command hostile_request::command() const {
  const auto header =
      wire::parse_header(std::span{message_}.first<wire::limits::header_bytes>());
  if (header) {
    if (const auto found = wire::parse_command(*header, message_)) return *found;
  }
  throw std::invalid_argument("no command");
}

}  // namespace scattergate::bench
