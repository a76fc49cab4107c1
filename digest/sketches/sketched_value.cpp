#include "digest/sketches/sketched_value.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "routing/keys/key_encoding.hpp"

namespace scattergate::digest {
namespace {

value_head head_of(routing::bytes_view encoded) noexcept {
  std::array<std::byte, sizeof(value_head)> bytes{};
  std::memcpy(bytes.data(), encoded.data(), std::min(encoded.size(), bytes.size()));
  return {routing::head_of(std::span{bytes}.first<8>()),
          routing::head_of(std::span{bytes}.last<8>())};
}

}  // namespace

std::optional<sketched_value> sketched(sketched_field field, const wire::element& value,
                                       const salt& by, routing::scratch& memory) noexcept {
  if (value.value().size() > max_sketched_bytes || value.is_array()) return std::nullopt;
  const std::size_t mark = memory.mark();
  const routing::bytes_view encoded = routing::encode(value, memory);
  std::optional<sketched_value> made;
  if (!encoded.empty()) made = {field, salted_hash(encoded, by), head_of(encoded)};
  memory.rewind(mark);
  return made;
}

}  // namespace scattergate::digest
