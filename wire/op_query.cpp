#include "wire/op_query.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "wire/endian.hpp"
#include "wire/limits.hpp"

namespace scattergate::wire {
namespace {

constexpr std::size_t query_flags_bytes = 4;
constexpr std::size_t numbers_bytes = 8;  // numberToSkip and numberToReturn
constexpr std::size_t min_query_bytes =
    limits::header_bytes + query_flags_bytes + 1 + numbers_bytes + limits::min_document_bytes;

}  // namespace

bool names_namespace(opcode op) noexcept {
  return op == opcode::query || op == opcode::get_more || op == opcode::insert ||
         op == opcode::update || op == opcode::delete_;
}

std::optional<std::string_view> legacy_namespace(std::span<const std::byte> start) noexcept {
  // In all these messages, the namespace follows one int32: flags, or zero.
  constexpr std::size_t name_at = limits::header_bytes + sizeof(std::int32_t);
  if (start.size() <= name_at) return std::nullopt;
  const auto rest = start.subspan(name_at);
  const void* const end = std::memchr(rest.data(), 0, rest.size());
  if (end == nullptr) return std::nullopt;
  return std::string_view{
      reinterpret_cast<const char*>(rest.data()),
      static_cast<std::size_t>(static_cast<const std::byte*>(end) - rest.data())};
}

result<op_query> parse_op_query(const message_header& header,
                                std::span<const std::byte> message) noexcept {
  if (message.size() < min_query_bytes) return wire_errc::short_message;
  op_query parsed;
  parsed.header = header;
  parsed.flags = load_little<std::uint32_t>(message.data() + limits::header_bytes);

  auto rest = message.subspan(limits::header_bytes + query_flags_bytes);
  const std::size_t longest = limits::max_namespace_bytes + 1;  // including its NUL
  const void* const end = std::memchr(rest.data(), 0, std::min(rest.size(), longest));
  if (end == nullptr) return wire_errc::bad_section;
  const auto name_size =
      static_cast<std::size_t>(static_cast<const std::byte*>(end) - rest.data());
  parsed.full_collection_name = {reinterpret_cast<const char*>(rest.data()), name_size};

  rest = rest.subspan(name_size + 1);
  if (rest.size() < numbers_bytes + limits::min_document_bytes) {
    return wire_errc::short_message;
  }
  parsed.number_to_skip = load_little<std::int32_t>(rest.data());
  parsed.number_to_return = load_little<std::int32_t>(rest.data() + 4);
  const auto query = document_view::first_of(rest.subspan(numbers_bytes));
  if (!query) return wire_errc::bad_bson;
  parsed.query = *query;
  return parsed;
}

result<op_reply> parse_op_reply(const message_header& header,
                                std::span<const std::byte> message) noexcept {
  if (message.size() < limits::header_bytes + reply_head_bytes) {
    return wire_errc::short_message;
  }
  const auto* head = message.data() + limits::header_bytes;
  op_reply parsed;
  parsed.header = header;
  parsed.flags = load_little<std::uint32_t>(head);
  parsed.cursor_id = load_little<std::int64_t>(head + 4);
  parsed.starting_from = load_little<std::int32_t>(head + 12);
  parsed.number_returned = load_little<std::int32_t>(head + 16);
  parsed.documents = message.subspan(limits::header_bytes + reply_head_bytes);
  return parsed;
}

}  // namespace scattergate::wire
