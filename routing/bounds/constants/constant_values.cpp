#include "routing/bounds/constants/constant_values.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "wire/endian.hpp"

namespace scattergate::routing {

using wire::bson_type;
using wire::element;

namespace {

folded constant_word(bson_type type, std::uint64_t value, scratch& memory) noexcept {
  std::array<std::byte, sizeof value> bytes;
  wire::store_little(bytes.data(), value);
  return constant_of_bytes(type, bytes, memory);
}

std::int64_t as_date(const element& value) noexcept {
  return static_cast<std::int64_t>(wire::load_little<std::uint64_t>(value.value().data()));
}

}  // namespace

/// Copies the bytes to the scratch memory.
folded constant_of_bytes(bson_type type, std::span<const std::byte> bytes,
                         scratch& memory) noexcept {
  const auto room = memory.allocate<std::byte>(bytes.size());
  if (room.size() != bytes.size()) return unknown_constant;
  std::ranges::copy(bytes, room.begin());
  return folded::constant(element{"", type, room});
}

folded constant_integer(std::int64_t value, scratch& memory) noexcept {
  return constant_word(bson_type::int64, static_cast<std::uint64_t>(value), memory);
}
folded constant_real(double value, scratch& memory) noexcept {
  return constant_word(bson_type::float64, std::bit_cast<std::uint64_t>(value), memory);
}
folded constant_date(std::int64_t value, scratch& memory) noexcept {
  return constant_word(bson_type::date, static_cast<std::uint64_t>(value), memory);
}
folded constant_boolean(bool value, scratch& memory) noexcept {
  const std::array bytes{std::byte{value}};
  return constant_of_bytes(bson_type::boolean, bytes, memory);
}
folded constant_null() noexcept {
  return folded::constant(element{"", bson_type::null, {}});
}

folded constant_text(std::span<const std::string_view> parts, scratch& memory) noexcept {
  std::size_t size = 0;
  for (const std::string_view part : parts) size += part.size();
  const auto room = memory.allocate<std::byte>(sizeof(std::uint32_t) + size + 1);
  if (room.empty()) return unknown_constant;
  wire::store_little(room.data(), static_cast<std::uint32_t>(size + 1));
  auto to = room.begin() + sizeof(std::uint32_t);
  for (const std::string_view part : parts) {
    to = std::ranges::copy(std::as_bytes(std::span{part}), to).out;
  }
  *to = std::byte{0};
  return folded::constant(element{"", bson_type::string, room});
}

bool is_nullish(const folded& one) noexcept {
  return one.is == folded::kind::missing || one.value.type() == bson_type::null ||
         one.value.type() == bson_type::undefined;
}

plain_number number_of(const element& value) noexcept {
  switch (value.type()) {
    case bson_type::int32:
    case bson_type::int64: {
      const std::int64_t whole = value.as_int64().value_or(0);
      return {true, true, whole, static_cast<double>(whole)};
    }
    case bson_type::float64:
      return {true, false, 0,
              std::bit_cast<double>(wire::load_little<std::uint64_t>(value.value().data()))};
    case bson_type::date: {
      const std::int64_t whole = as_date(value);
      return {true, true, whole, static_cast<double>(whole)};
    }
    default:
      return {};
  }
}

}  // namespace scattergate::routing
