#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "sim/simulator.hpp"
#include "wire/header.hpp"

namespace scattergate::sim {

/// A request, parsed from its message.
struct received {
  wire::message_header header;
  request in;
  bool wants_reply = true;  ///< false: the client expects no reply (flag moreToCome)
};

/// Parses a complete message. Merges document sequences into the body as arrays. std::nullopt
/// if the message isn't a command that can be answered; the caller must then close the
/// connection. Throws command_failure for an error to reply with.
[[nodiscard]] std::optional<received> read_message(const wire::message_header& header,
                                                   std::span<const std::byte> message);

/// A complete reply message: an OP_REPLY to an OP_QUERY, otherwise an OP_MSG. `request`: the
/// request's header. `response_to`: the requestID to answer. `more`: whether more replies
/// follow (moreToCome).
[[nodiscard]] std::string write_reply(const wire::message_header& request,
                                      std::int32_t response_to, const document& body,
                                      bool more);

/// The requestID of the reply that write_reply() returned last.
[[nodiscard]] std::int32_t last_request_id() noexcept;

}  // namespace scattergate::sim
