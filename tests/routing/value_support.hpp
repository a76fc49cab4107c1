#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "routing/keys/key_encoding.hpp"
#include "routing/scratch.hpp"
#include "tests/support/json_document.hpp"

namespace scattergate::routing_tests {

using bytes = std::vector<std::byte>;

/// A routing::scratch (memory for judging) that owns its memory block of `Bytes` bytes.
template <std::size_t Bytes = 64UL * 1024>
struct owned_scratch {
  std::vector<std::byte> block = std::vector<std::byte>(Bytes);
  routing::scratch memory{block};
};

/// Converts a value from Extended JSON to routing::encode()'s encoding, whose byte order is
/// MongoDB's order of values.
inline bytes encoded(std::string_view json_value) {
  const tests::json_document document{"{\"v\": " + std::string{json_value} + "}"};
  owned_scratch<> room;
  const auto view = routing::encode(document.first(), room.memory);
  return {view.begin(), view.end()};
}

/// The bytes as hexadecimal digits, for failure messages.
inline std::string hex(routing::bytes_view of) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : of) {
    text += digits[std::to_integer<std::size_t>(byte) / 16];
    text += digits[std::to_integer<std::size_t>(byte) % 16];
  }
  return text;
}

/// The sign of a comparison's result: -1, 0 or 1.
inline int sign(int order) {
  return (order > 0) - (order < 0);
}

}  // namespace scattergate::routing_tests
