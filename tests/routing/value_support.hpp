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

/// A scratch with its memory.
template <std::size_t Bytes = 64UL * 1024>
struct owned_scratch {
  std::vector<std::byte> block = std::vector<std::byte>(Bytes);
  routing::scratch memory{block};
};

/// The value that Extended JSON describes, encoded.
inline bytes encoded(std::string_view json_value) {
  const tests::json_document document{"{\"v\": " + std::string{json_value} + "}"};
  owned_scratch<> room;
  const auto view = routing::encode(document.first(), room.memory);
  return {view.begin(), view.end()};
}

/// Bytes in hex, for messages.
inline std::string hex(routing::bytes_view of) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : of) {
    text += digits[std::to_integer<std::size_t>(byte) / 16];
    text += digits[std::to_integer<std::size_t>(byte) % 16];
  }
  return text;
}

inline int sign(int order) {
  return (order > 0) - (order < 0);
}

}  // namespace scattergate::routing_tests
