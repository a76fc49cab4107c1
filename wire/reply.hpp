#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "wire/server_error.hpp"

namespace scattergate::wire {

/// A command's error, as MongoDB reports it.
struct command_error {
  server_errc code{};
  std::string_view message;
  std::span<const std::string_view> labels{};
};

/// Builds the error reply `{ok: 0, errmsg, code, codeName}`, with errorLabels if `error` has
/// any, as a complete OP_MSG. REQUIRES: fewer than ten labels.
[[nodiscard]] std::vector<std::byte> build_error_msg(std::int32_t request_id,
                                                     std::int32_t response_to,
                                                     const command_error& error);

/// Same as build_error_msg(), but as a complete OP_REPLY, for a command sent as an OP_QUERY.
[[nodiscard]] std::vector<std::byte> build_error_reply(std::int32_t request_id,
                                                       std::int32_t response_to,
                                                       const command_error& error);

}  // namespace scattergate::wire
