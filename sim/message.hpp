#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/simulator.hpp"
#include "sim/values/value.hpp"
#include "wire/compressed.hpp"
#include "wire/header.hpp"

namespace scattergate::sim {

/// A request and its header, parsed from a message.
struct received {
  wire::message_header header;
  request in;
  bool wants_reply = true;  ///< false: the client expects no reply (flag moreToCome)
};

/// Parses a complete message. Appends each document sequence to the body, as an array. Returns
/// std::nullopt if the caller can't reply and must close the connection: the message isn't a
/// command, or its framing is invalid. Throws command_failure if the command is invalid; the
/// caller replies with the error.
[[nodiscard]] std::optional<received> read_message(const wire::message_header& header,
                                                   std::span<const std::byte> message);

/// Returns a complete reply message: an OP_REPLY to an OP_QUERY, otherwise an OP_MSG.
/// `request`: the header of the request. `response_to`: the requestID to which the message
/// replies. `more`: whether more replies follow (flag moreToCome; OP_MSG only).
[[nodiscard]] std::string write_reply(const wire::message_header& request,
                                      std::int32_t response_to, const document& body,
                                      bool more);

/// The requestID of the reply that write_reply() returned last.
[[nodiscard]] std::int32_t last_request_id() noexcept;

/// Decompresses an OP_COMPRESSED in place; leaves other messages unchanged. Sets `algorithm`
/// to the message's compressor, or to std::nullopt if it wasn't compressed. Returns false if
/// the compressor is unknown, or the message corrupt; the caller must then close the
/// connection. Thread-safety: call it on one thread only.
[[nodiscard]] bool unpack(wire::message_header& header, std::vector<std::byte>& message,
                          std::optional<wire::compressor>& algorithm);

/// Compresses a complete message; returns an OP_COMPRESSED.
[[nodiscard]] std::string pack(const std::string& message, wire::compressor algorithm);

}  // namespace scattergate::sim
