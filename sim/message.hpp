#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "sim/simulator.hpp"
#include "wire/header.hpp"

namespace scattergate::sim {

/// A request out of its message.
struct received {
  wire::message_header header;
  request in;
  bool wants_reply = true;
};

/// Reads a whole message, document sequences merged into the body as arrays. Nothing where it
/// isn't a command that can be answered: the connection is then closed.
/// Throws command_failure for what is answered with an error.
[[nodiscard]] std::optional<received> read_message(const wire::message_header& header,
                                                   std::span<const std::byte> message);

/// The reply as a whole message, in the framing of the request it answers. `more`: further
/// replies follow (moreToCome).
[[nodiscard]] std::string write_reply(const wire::message_header& request,
                                      std::int32_t response_to, const document& body,
                                      bool more);

/// The requestID of the last message written.
[[nodiscard]] std::int32_t last_request_id() noexcept;

}  // namespace scattergate::sim
