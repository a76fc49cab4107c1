#include "sim/values/identity.hpp"

#include <algorithm>
#include <chrono>

#include "sim/values/digest.hpp"

namespace scattergate::sim {

object_id new_object_id() {
  static const std::string process = random_bytes(5);
  static std::uint32_t counter = 0;
  ++counter;
  const auto seconds = static_cast<std::uint32_t>(now_millis() / 1000);
  object_id id;
  for (std::size_t i = 0; i < 4; ++i) {
    id.bytes[i] = static_cast<std::uint8_t>(seconds >> (24 - 8 * i));
  }
  std::copy(process.begin(), process.end(), id.bytes.begin() + 4);
  for (std::size_t i = 0; i < 3; ++i) {
    id.bytes[9 + i] = static_cast<std::uint8_t>(counter >> (16 - 8 * i));
  }
  return id;
}

object_id object_id_from(std::string_view seed) {
  object_id id;
  const std::string hash = digest(digest_kind::sha256, seed);
  std::copy_n(hash.begin(), id.bytes.size(), id.bytes.begin());
  return id;
}

binary uuid_from(std::string_view seed) {
  std::string bytes = digest(digest_kind::sha256, seed).substr(0, 16);
  bytes[6] = static_cast<char>((bytes[6] & 0x0f) | 0x40);  // version 4
  bytes[8] = static_cast<char>((bytes[8] & 0x3f) | 0x80);  // variant 1
  return {4, std::move(bytes)};
}

std::int64_t now_millis() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace scattergate::sim
