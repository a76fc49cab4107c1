#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "wire/server_error.hpp"

namespace scattergate::wire {

/// What MongoDB says when a command fails.
struct command_error {
  server_errc code{};
  std::string_view message;
  std::span<const std::string_view> labels{};
};

/// `{ok: 0, errmsg, code, codeName}`, and errorLabels where there are any, as a whole OP_MSG
/// that answers `response_to`.
[[nodiscard]] std::vector<std::byte> build_error_msg(std::int32_t request_id,
                                                     std::int32_t response_to,
                                                     const command_error& error);

/// The same as an OP_REPLY, for a request that came as OP_QUERY.
[[nodiscard]] std::vector<std::byte> build_error_reply(std::int32_t request_id,
                                                       std::int32_t response_to,
                                                       const command_error& error);

}  // namespace scattergate::wire
