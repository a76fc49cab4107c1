#include "digest/placeholder.hpp"

#include <array>
#include <cstdio>
#include <span>

#include "routing/shape/placeholder.hpp"
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

/// Writes the rank, big-endian, into the last bytes of a value that MongoDB compares bytewise.
void put_behind(std::span<std::byte> value, std::int32_t rank) {
  for (std::size_t i = 1; i <= sizeof rank; ++i) {
    value[value.size() - i] = static_cast<std::byte>(rank & 0xff);
    rank >>= 8;
  }
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

void write_object_id(std::string_view name, std::int32_t rank, bson_writer& to) {
  std::array<std::byte, 12> id{};
  id.front() = std::byte{0x65};
  put_behind(id, rank);
  to.raw(name, bson_type::object_id, id);
}

void write_uuid(std::string_view name, std::int32_t rank, bson_writer& to) {
  std::array<std::byte, 21> uuid{};  // length, subtype, bytes
  wire::store_little(uuid.data(), std::int32_t{16});
  uuid[4] = std::byte{4};
  put_behind(uuid, rank);
  to.raw(name, bson_type::binary, uuid);
}

void write_regex(std::string_view name, bson_writer& to) {
  constexpr std::array regex = {std::byte{'^'}, std::byte{'a'}, std::byte{0}, std::byte{0}};
  to.raw(name, bson_type::regex, regex);
}

bool write_value(std::string_view name, bson_type type, std::int32_t rank, bson_writer& to) {
  switch (type) {
    case bson_type::float64:
    case bson_type::int32:
    case bson_type::int64:
    case bson_type::decimal128:
      to.int32(name, rank);
      break;
    case bson_type::string:
      write_text(name, rank, to);
      break;
    case bson_type::boolean:
      to.boolean(name, true);
      break;
    case bson_type::document:
    case bson_type::array:
      write_container(name, type == bson_type::array, rank, to);
      break;
    case bson_type::object_id:
      write_object_id(name, rank, to);
      break;
    case bson_type::date:
    case bson_type::timestamp:
      to.raw(name, type, bytes_of(std::int64_t{1'700'000'000'000} + rank));
      break;
    case bson_type::binary:
      write_uuid(name, rank, to);
      break;
    case bson_type::regex:
      write_regex(name, to);
      break;
    case bson_type::null:
    case bson_type::undefined:
    case bson_type::min_key:
    case bson_type::max_key:
      to.raw(name, type, {});
      break;
    case bson_type::db_pointer:
    case bson_type::code:
    case bson_type::symbol:
    case bson_type::code_with_scope:
      return false;
  }
  return true;
}

}  // namespace

bool write_placeholder(std::string_view name, std::string_view placeholder, std::int32_t rank,
                       bson_writer& to) {
  const auto* const known = routing::placeholder_named(placeholder);
  return known != nullptr && write_value(name, known->type, rank, to);
}

}  // namespace scattergate::digest
