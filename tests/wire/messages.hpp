#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "wire/endian.hpp"
#include "wire/header.hpp"
#include "wire/op_msg.hpp"

/// Builds messages and BSON documents byte by byte, so that a test can make any byte wrong.
namespace scattergate::wire_tests {

using bytes = std::vector<std::byte>;

/// The bytes of a text, including embedded NULs.
inline bytes text(std::string_view content) {
  const auto view = std::as_bytes(std::span{content});
  return {view.begin(), view.end()};
}

/// A number in little-endian order.
template <typename Number>
bytes little(Number number) {
  bytes out(sizeof number);
  wire::store_little(out.data(), number);
  return out;
}

/// The concatenation of all parts.
template <typename... Parts>
bytes joined(const Parts&... parts) {
  bytes out((parts.size() + ... + 0));
  auto at = out.begin();
  ((at = std::copy(parts.begin(), parts.end(), at)), ...);
  return out;
}

/// The number of bytes as the wire protocol's int32.
inline std::int32_t size_of(const bytes& content) {
  return static_cast<std::int32_t>(content.size());
}

/// A text with a closing NUL.
inline bytes c_string(std::string_view content) {
  return joined(text(content), little(std::int8_t{0}));
}

/// A BSON string value: length, text, closing NUL.
inline bytes string_value(std::string_view content) {
  return joined(little(static_cast<std::int32_t>(content.size() + 1)), c_string(content));
}

/// A BSON field: type, name, value.
inline bytes field(int type, std::string_view name, const bytes& value) {
  return joined(little(static_cast<std::uint8_t>(type)), c_string(name), value);
}

/// A BSON field with an int32.
inline bytes int32_field(std::string_view name, std::int32_t value) {
  return field(0x10, name, little(value));
}

/// A BSON field with a string.
inline bytes string_field(std::string_view name, std::string_view value) {
  return field(0x02, name, string_value(value));
}

/// A document with these fields, and with the correct length and closing NUL.
template <typename... Fields>
bytes document(const Fields&... fields) {
  const bytes content = joined(bytes{}, fields...);
  return joined(little(size_of(content) + 5), content, little(std::int8_t{0}));
}

/// The document `{a: {a: {a: ... {}}}}`, nested `levels` deep.
inline bytes nested_document(std::size_t levels) {
  constexpr std::size_t level_bytes = 8;  // length, type, "a" and its NUL, closing NUL
  bytes out(levels * level_bytes + 5);
  auto length = static_cast<std::int32_t>(out.size());
  for (std::size_t level = 0; level != levels; ++level) {
    std::byte* const start = out.data() + level * (level_bytes - 1);
    wire::store_little(start, length);
    start[4] = std::byte{0x03};
    start[5] = std::byte{'a'};
    length -= static_cast<std::int32_t>(level_bytes);
  }
  wire::store_little(out.data() + levels * (level_bytes - 1), length);
  return out;
}

/// A message: a header with the correct length, and `payload`.
inline bytes message(wire::opcode op, std::int32_t request_id, const bytes& payload) {
  return joined(little(size_of(payload) + 16), little(request_id), little(std::int32_t{0}),
                little(static_cast<std::int32_t>(op)), payload);
}

/// A kind-0 section of an OP_MSG: the body.
inline bytes body_section(const bytes& body) {
  return joined(little(std::int8_t{0}), body);
}

/// A kind-1 section of an OP_MSG: a document sequence.
inline bytes sequence_section(std::string_view identifier, const bytes& documents) {
  const bytes content = joined(c_string(identifier), documents);
  return joined(little(std::int8_t{1}), little(size_of(content) + 4), content);
}

/// An OP_MSG without a checksum, with requestID 7.
inline bytes op_msg_bytes(std::uint32_t flags, const bytes& sections) {
  return message(wire::opcode::msg, 7, joined(little(flags), sections));
}

/// An OP_QUERY (a legacy request) with requestID 7.
inline bytes op_query_bytes(std::string_view collection, const bytes& query) {
  return message(wire::opcode::query, 7,
                 joined(little(std::uint32_t{0}), c_string(collection), little(std::int32_t{0}),
                        little(std::int32_t{-1}), query));
}

/// An OP_REPLY (a legacy reply) with requestID 7. `number_returned`: the header field with the
/// number of documents.
inline bytes op_reply_bytes(std::int32_t number_returned, const bytes& documents) {
  return message(wire::opcode::reply, 7,
                 joined(little(std::uint32_t{8}), little(std::int64_t{0}),
                        little(std::int32_t{0}), little(number_returned), documents));
}

/// The header of a message. Throws std::logic_error if the message is too short. REQUIRES: the
/// header is valid.
inline wire::message_header header_of(const bytes& whole) {
  if (whole.size() < wire::limits::header_bytes) throw std::logic_error{"no header"};
  return wire::parse_header(std::span{whole}.first<wire::limits::header_bytes>()).value();
}

/// The message as an OP_MSG, or the error in it. Throws std::logic_error if the message is too
/// short for a header. REQUIRES: the header is valid.
inline wire::result<wire::op_msg> parsed_op_msg(const bytes& whole) {
  return wire::parse_op_msg(header_of(whole), whole);
}

/// A view of a document. REQUIRES: the length and the closing NUL are correct.
inline wire::document_view view(const bytes& whole) {
  return wire::document_view::from(whole).value();
}

}  // namespace scattergate::wire_tests
