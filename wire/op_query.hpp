#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "wire/bson.hpp"
#include "wire/error.hpp"
#include "wire/header.hpp"

/// The legacy messages OP_QUERY and OP_REPLY, which older drivers use for their first
/// handshake.
namespace scattergate::wire {

/// Whether messages with this opCode contain a namespace: true for OP_QUERY, OP_GET_MORE,
/// OP_INSERT, OP_UPDATE and OP_DELETE.
[[nodiscard]] bool names_namespace(opcode op) noexcept;

/// The namespace "db.collection" in a legacy message; std::nullopt if `start`, the beginning of
/// the message, doesn't contain the whole namespace. A view into `start`. REQUIRES:
/// names_namespace() is true for the message's opCode.
[[nodiscard]] std::optional<std::string_view> legacy_namespace(
    std::span<const std::byte> start) noexcept;

/// The number of bytes between the header and the first document of an OP_REPLY.
inline constexpr std::size_t reply_head_bytes = 20;

/// A parsed OP_QUERY, a request. A view into the message.
struct op_query {
  message_header header;
  std::uint32_t flags = 0;
  std::string_view full_collection_name;  ///< "admin.$cmd" for a command
  std::int32_t number_to_skip = 0;
  std::int32_t number_to_return = 0;
  document_view query;  ///< the query, or the command
};

/// A parsed OP_REPLY, the reply to an OP_QUERY. A view into the message.
struct op_reply {
  message_header header;
  std::uint32_t flags = 0;
  std::int64_t cursor_id = 0;
  std::int32_t starting_from = 0;
  std::int32_t number_returned = 0;
  std::span<const std::byte> documents;  ///< BSON documents, one after another; read them with
                                         ///< sequence_reader
};

/// Parses an OP_QUERY. Errors: short_message, bad_section (the collection's name isn't
/// NUL-terminated or is too long), bad_bson.
[[nodiscard]] result<op_query> parse_op_query(const message_header& header,
                                              std::span<const std::byte> message) noexcept;

/// Parses an OP_REPLY; doesn't check its documents. Errors: short_message.
[[nodiscard]] result<op_reply> parse_op_reply(const message_header& header,
                                              std::span<const std::byte> message) noexcept;

}  // namespace scattergate::wire
