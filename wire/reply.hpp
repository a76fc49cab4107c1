#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "wire/server_error.hpp"

namespace scattergate::wire {

/// The error of a command, as an error reply reports it.
struct command_error {
  server_errc code{};                          ///< the field code; codeName follows from it
  std::string_view message;                    ///< the field errmsg
  std::span<const std::string_view> labels{};  ///< the field errorLabels; empty: omitted
};

/// Builds the error reply `{ok: 0, errmsg, code, codeName, errorLabels}` as a complete OP_MSG.
/// Without labels in `error`, errorLabels is omitted. `request_id`: the reply's requestID.
/// `response_to`: the request's requestID. REQUIRES: fewer than ten labels.
[[nodiscard]] std::vector<std::byte> build_error_msg(std::int32_t request_id,
                                                     std::int32_t response_to,
                                                     const command_error& error);

/// Builds the error reply `{ok: 0, errmsg, code, codeName, errorLabels}` as a complete
/// OP_REPLY, for a command sent as an OP_QUERY. Without labels in `error`, errorLabels is
/// omitted. `request_id`: the reply's requestID. `response_to`: the request's requestID.
/// REQUIRES: fewer than ten labels.
[[nodiscard]] std::vector<std::byte> build_error_reply(std::int32_t request_id,
                                                       std::int32_t response_to,
                                                       const command_error& error);

}  // namespace scattergate::wire
