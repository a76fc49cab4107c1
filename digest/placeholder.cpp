#include "digest/placeholder.hpp"

#include <array>
#include <cstdio>
#include <optional>
#include <span>

#include "wire/endian.hpp"

namespace scattergate::digest {
namespace {

using wire::bson_type;
using wire::bson_writer;

template <typename Number>
std::array<std::byte, sizeof(Number)> bytes_of(Number number) {
  std::array<std::byte, sizeof number> bytes{};
  wire::store_little(bytes.data(), number);
  return bytes;
}

/// The rank as the last bytes of what is compared byte by byte.
void put_behind(std::span<std::byte> value, std::int32_t rank) {
  for (std::size_t i = 1; i <= sizeof rank; ++i) {
    value[value.size() - i] = static_cast<std::byte>(rank & 0xff);
    rank >>= 8;
  }
}

std::optional<bson_type> without_value(std::string_view type) {
  if (type == "?null") return bson_type::null;
  if (type == "?undefined") return bson_type::undefined;
  if (type == "?minKey") return bson_type::min_key;
  if (type == "?maxKey") return bson_type::max_key;
  return std::nullopt;
}

void write_text(std::string_view name, std::int32_t rank, bson_writer& to) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "a%010d", rank);  // in the order of the ranks
  to.text(name, text.data());
}

void write_container(std::string_view name, bool is_array, std::int32_t rank, bson_writer& to) {
  is_array ? to.open_array(name) : to.open_document(name);
  to.int32(is_array ? "0" : "a", rank);
  to.close();
}

bool write_bytes(std::string_view name, std::string_view type, std::int32_t rank,
                 bson_writer& to) {
  const auto time = bytes_of(std::int64_t{1'700'000'000'000} + rank);
  if (type == "?objectId") {
    std::array<std::byte, 12> id{};
    id.front() = std::byte{0x65};
    put_behind(id, rank);
    to.raw(name, bson_type::object_id, id);
  } else if (type == "?date") {
    to.raw(name, bson_type::date, time);
  } else if (type == "?timestamp") {
    to.raw(name, bson_type::timestamp, time);
  } else if (type == "?binary" || type == "?binData" || type == "?uuid") {
    std::array<std::byte, 21> uuid{};  // length, subtype, bytes
    wire::store_little(uuid.data(), std::int32_t{16});
    uuid[4] = std::byte{4};
    put_behind(uuid, rank);
    to.raw(name, bson_type::binary, uuid);
  } else if (type == "?regex") {
    constexpr std::array regex = {std::byte{'^'}, std::byte{'a'}, std::byte{0}, std::byte{0}};
    to.raw(name, bson_type::regex, regex);
  } else {
    return false;
  }
  return true;
}

}  // namespace

bool write_placeholder(std::string_view name, std::string_view type, std::int32_t rank,
                       bson_writer& to) {
  if (type == "?number") {
    to.int32(name, rank);
  } else if (type == "?string") {
    write_text(name, rank, to);
  } else if (type == "?bool") {
    to.boolean(name, true);
  } else if (type == "?object" || type == "?document" || type == "?array") {
    write_container(name, type == "?array", rank, to);
  } else if (const auto empty = without_value(type)) {
    to.raw(name, *empty, {});
  } else {
    return write_bytes(name, type, rank, to);
  }
  return true;
}

}  // namespace scattergate::digest
